// 1,000 requests a second between a SIP client and a server: each transaction has its timers, stopped by the answer.
package sipgo_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "sipgo", func(r *load.Run) {
		quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
		slog.SetDefault(quiet)
		pc := load.Get(net.ListenPacket("udp", "127.0.0.1:0"))
		server := load.Get(sipgo.NewServer(load.Get(sipgo.NewUA()), sipgo.WithServerLogger(quiet)))
		server.OnOptions(func(req *sip.Request, tx sip.ServerTransaction) {
			_ = tx.Respond(sip.NewResponseFromRequest(req, 200, "OK", nil)) // the client counts the answers
		})
		go func() { load.Must(server.ServeUDP(pc)) }()
		client := load.Get(sipgo.NewClient(load.Get(sipgo.NewUA()),
			sipgo.WithClientLogger(quiet), sipgo.WithClientHostname("127.0.0.1")))
		to := pc.LocalAddr().(*net.UDPAddr)
		r.Pace(load.Scale(1_000), load.Scale(50), func(_, _ int) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			req := sip.NewRequest(sip.OPTIONS, sip.Uri{User: "someone", Host: "127.0.0.1", Port: to.Port})
			load.Get(client.Do(ctx, req))
		})
	})
}
