// 2,000 messages a second and their echo, over 20 associations.
package main

import (
	"net"

	"github.com/pion/logging"
	"github.com/pion/sctp"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func main() {
	load.Main(func(r *load.Run) {
		quiet := logging.NewDefaultLoggerFactory()
		quiet.DefaultLogLevel = logging.LogLevelDisabled
		type client struct {
			stream *sctp.Stream
			buffer [2048]byte
		}
		clients := make([]client, r.Scale(20))
		for i := range clients {
			a, b := pair()
			go func() {
				association := load.Get(sctp.ServerWithOptions(sctp.WithNetConn(b), sctp.WithLoggerFactory(quiet)))
				echo(load.Get(association.AcceptStream()))
			}()
			association := load.Get(sctp.ClientWithOptions(sctp.WithNetConn(a), sctp.WithLoggerFactory(quiet)))
			clients[i].stream = load.Get(association.OpenStream(0, sctp.PayloadTypeWebRTCBinary))
		}
		r.Pace(float64(r.Scale(2_000)), len(clients), func(w, _ int) {
			c := &clients[w]
			load.Get(c.stream.Write(c.buffer[:128]))
			load.Get(c.stream.Read(c.buffer[:]))
		})
	})
}

func echo(stream *sctp.Stream) {
	var buffer [2048]byte
	for {
		n := load.Get(stream.Read(buffer[:]))
		load.Get(stream.Write(buffer[:n]))
	}
}

// pair returns two ends of UDP that send to each other.
func pair() (a, b *net.UDPConn) {
	address := func(c *net.UDPConn) *net.UDPAddr { return c.LocalAddr().(*net.UDPAddr) }
	local := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}
	listening := load.Get(net.ListenUDP("udp", local))
	at := address(listening)
	a = load.Get(net.DialUDP("udp", local, at))
	load.Must(listening.Close()) // its port is free for the other end
	b = load.Get(net.DialUDP("udp", at, address(a)))
	return a, b
}
