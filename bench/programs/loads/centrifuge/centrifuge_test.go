// 20,000 clients are pinged once a second and answer. An operation is a ping, its latency is how late the ping is. The
// port is the program's own hook, Config.ClientTimerScheduler.
package centrifuge_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/centrifugal/protocol"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/programs/load"
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
)

const interval = time.Second

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "centrifuge", func(r *load.Run) {
		config := centrifuge.Config{}
		if wheel.Tick > 0 {
			config.ClientTimerScheduler = scheduler{wheel.New()}
		}
		node := load.Get(centrifuge.New(config))
		node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
			return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{UserID: "someone"}}, nil
		})
		load.Must(node.Run())
		pongs := make(chan *transport, 4096)
		for range 2 {
			go func() {
				for t := range pongs {
					t.client.HandleCommand(&protocol.Command{}, 0)
				}
			}()
		}
		for range load.Scale(20_000) {
			t := &transport{run: r, pongs: pongs}
			client, _, err := centrifuge.NewClient(context.Background(), node, t)
			load.Must(err)
			t.client = client
			client.HandleCommand(&protocol.Command{Id: 1, Connect: &protocol.ConnectRequest{}}, 0)
		}
	})
}

type scheduler struct{ tm *hashedwheel.Timer }

type canceler struct{ *hashedwheel.Timeout }

func (c canceler) Cancel() { c.Stop() }

func (s scheduler) ScheduleTimer(d time.Duration, f func()) centrifuge.TimerCanceler {
	return canceler{s.tm.AfterFunc(d, f)}
}

// transport answers pings, and measures how much later than an interval after the one before each comes.
type transport struct {
	run    *load.Run
	client *centrifuge.Client
	pongs  chan *transport
	last   atomic.Int64 // when the last ping came; 0: none
}

func (t *transport) Write(data []byte) error {
	if len(data) > 2 { // not a ping, which is {}
		return nil
	}
	now := time.Now().UnixNano()
	if last := t.last.Swap(now); last != 0 {
		t.run.Observe(time.Duration(now-last) - interval)
	}
	t.pongs <- t
	return nil
}

func (t *transport) WriteMany(data ...[]byte) error {
	for _, d := range data {
		if err := t.Write(d); err != nil {
			return err
		}
	}
	return nil
}

func (t *transport) Name() string                                { return "none" }
func (t *transport) AcceptProtocol() string                      { return "" }
func (t *transport) Protocol() centrifuge.ProtocolType           { return centrifuge.ProtocolTypeJSON }
func (t *transport) ProtocolVersion() centrifuge.ProtocolVersion { return centrifuge.ProtocolVersion2 }
func (t *transport) Unidirectional() bool                        { return false }
func (t *transport) Emulation() bool                             { return false }
func (t *transport) DisabledPushFlags() uint64                   { return 0 }
func (t *transport) Close(centrifuge.Disconnect) error           { return nil }
func (t *transport) PingPongConfig() centrifuge.PingPongConfig {
	return centrifuge.PingPongConfig{PingInterval: interval, PongTimeout: interval / 2}
}
