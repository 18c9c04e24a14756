// 100 streams of one session send 10,000 requests a second and wait for the answers, with a deadline for each read.
package yamux_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "yamux", func(r *load.Run) {
		listener := load.Get(net.Listen("tcp", "127.0.0.1:0"))
		go serve(listener)
		config := yamux.DefaultConfig()
		config.LogOutput = io.Discard
		session := load.Get(yamux.Client(load.Get(net.Dial("tcp", listener.Addr().String())), config))
		streams := make([]net.Conn, load.Scale(100))
		for i := range streams {
			streams[i] = load.Get(session.Open())
		}
		buffers := make([][128]byte, len(streams))
		r.Pace(load.Scale(10_000), len(streams), func(i, _ int) {
			load.Get(streams[i].Write(buffers[i][:]))
			load.Must(streams[i].SetReadDeadline(time.Now().Add(10 * time.Second)))
			load.Get(io.ReadFull(streams[i], buffers[i][:]))
		})
	})
}

func serve(listener net.Listener) {
	config := yamux.DefaultConfig()
	config.LogOutput = io.Discard
	session := load.Get(yamux.Server(load.Get(listener.Accept()), config))
	for {
		stream := load.Get(session.Accept())
		go func() {
			var b [128]byte
			for {
				load.Must(stream.SetReadDeadline(time.Now().Add(10 * time.Second)))
				load.Get(io.ReadFull(stream, b[:]))
				load.Get(stream.Write(b[:]))
			}
		}()
	}
}
