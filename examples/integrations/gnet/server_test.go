package gnet

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A booted Server reports its engine.
type booted struct {
	*Server
	engine chan gnet.Engine
}

func (b booted) OnBoot(e gnet.Engine) gnet.Action {
	b.engine <- e
	return gnet.None
}

// serve serves until the test ends, and returns the address. (If gnet chooses the port, it does not report it.)
func serve(t *testing.T, s *Server) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr = l.Addr().String()
	require.NoError(t, l.Close())
	b := booted{s, make(chan gnet.Engine)}
	ended := make(chan error)
	go func() { ended <- gnet.Run(b, "tcp://"+addr) }()
	engine := <-b.engine
	t.Cleanup(func() {
		require.NoError(t, engine.Stop(context.Background()))
		require.NoError(t, <-ended)
	})
	return addr
}

// talk sends n words, which the server echoes, and returns how long after the last word the server closed the
// connection.
func talk(t *testing.T, addr string, n int, pause time.Duration) (closedAfter time.Duration) {
	c, err := net.Dial("tcp", addr)
	assert.NoError(t, err)
	defer c.Close()
	word, said := []byte("!"), time.Now()
	for range n {
		said = time.Now()
		if _, err = c.Write(word); err == nil {
			_, err = io.ReadFull(c, word)
		}
		if err != nil {
			return time.Since(said)
		}
		time.Sleep(pause)
	}
	assert.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
	_, err = c.Read(word)
	assert.ErrorIs(t, err, io.EOF, "a silent connection was not closed")
	return time.Since(said)
}

func TestSilentConnectionsAreClosedAndNoneEarly(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	const idle = 400 * time.Millisecond
	addr := serve(t, &Server{Timer: tm, Idle: idle, Traffic: func(c gnet.Conn) gnet.Action {
		_, _ = c.WriteTo(c) // echo
		return gnet.None
	}})
	var all sync.WaitGroup
	for i := range 20 {
		const before = 20 * time.Millisecond // at most, the server counts from so long before the client does
		all.Go(func() { assert.GreaterOrEqual(t, talk(t, addr, i, idle/8), idle-before, "%d words", i) })
	}
	all.Wait()
	require.Eventually(t, func() bool { return tm.Pending() == 0 }, 20*time.Second, time.Millisecond)
	require.EqualValues(t, 20, tm.Stats().Expired)
}

func TestTimeoutsEndWithTheirConnections(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
	defer tm.StopAll()
	addr := serve(t, &Server{Timer: tm, Idle: time.Hour})
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return tm.Pending() == 1 }, 20*time.Second, time.Millisecond)
	require.Less(t, talk(t, addr, 0, 0), 20*time.Second, "refused by a full Timer")
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { return tm.Pending() == 0 }, 20*time.Second, time.Millisecond)
}
