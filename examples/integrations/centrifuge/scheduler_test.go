package centrifuge

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// A transport is a client's connection without another end. It notes when pings are sent.
type transport struct {
	mu    sync.Mutex
	pings []time.Time // guarded by mu
}

func (t *transport) WriteMany(messages ...[]byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range messages {
		if string(m) == "{}" { // an empty push
			t.pings = append(t.pings, time.Now())
		}
	}
	return nil
}

func (t *transport) Write(data []byte) error                   { return t.WriteMany(data) }
func (*transport) Close(centrifuge.Disconnect) error           { return nil }
func (*transport) Name() string                                { return "fake" }
func (*transport) AcceptProtocol() string                      { return "" }
func (*transport) Protocol() centrifuge.ProtocolType           { return centrifuge.ProtocolTypeJSON }
func (*transport) ProtocolVersion() centrifuge.ProtocolVersion { return centrifuge.ProtocolVersion2 }
func (*transport) Unidirectional() bool                        { return true }
func (*transport) Emulation() bool                             { return false }
func (*transport) DisabledPushFlags() uint64                   { return 0 }
func (*transport) PingPongConfig() centrifuge.PingPongConfig {
	return centrifuge.PingPongConfig{PingInterval: 25 * time.Second}
}

func TestClientsGetTheirPingsFromTheWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
		defer tm.Stop()
		node, err := centrifuge.New(centrifuge.Config{ClientTimerScheduler: Scheduler{tm}})
		require.NoError(t, err)
		node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
			return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{}}, nil
		})
		require.NoError(t, node.Run())
		all := make([]transport, 100)
		for i := range all {
			client, _, err := centrifuge.NewClient(context.Background(), node, &all[i])
			require.NoError(t, err)
			client.Connect(centrifuge.ConnectRequest{})
		}
		require.Equal(t, 100, tm.Pending())
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, node.Shutdown(context.Background()))
		require.Zero(t, tm.Pending())
		for i := range all {
			pings := all[i].pings
			require.GreaterOrEqual(t, len(pings), 2)
			for j, at := range pings[1:] {
				due := pings[j].Add(25 * time.Second)
				require.WithinRange(t, at, due, due.Add(tm.Tick()))
			}
		}
	})
}
