package idle_test

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program may print a connection while other goroutines use it. The race detector sees fields that
// fmt reads; the lines are short.
func TestStringDuringUse(t *testing.T) {
	tm, w := newTimer(t), new(idle.Watcher)
	here, there := net.Pipe()
	discard(there)
	conn, err := idle.NewConn(tm, here, time.Hour)
	require.NoError(t, err)
	printed := []any{conn, listen(t, tm, time.Hour), w}
	socket, _ := tcp(t)
	if watched, err := idle.Watch(tm, socket, time.Hour, func(net.Conn) {}); err == nil {
		w = watched
		printed = append(printed, w)
	}
	var printing sync.WaitGroup
	for _, v := range printed {
		printing.Go(func() {
			for range 200 {
				for _, verb := range []string{"%v", "%+v", "%s", "%q"} {
					line := fmt.Sprintf(verb, v)
					assert.Less(t, len(line), 100)
					assert.NotContains(t, line, "{")
				}
			}
		})
	}
	for range 1000 {
		_, err := conn.Write([]byte("!"))
		require.NoError(t, err)
		conn.SetIdleTimeout(time.Minute)
		conn.SetIdleTimeout(time.Hour)
	}
	w.Stop()
	require.NoError(t, conn.Close())
	printing.Wait()
}

func TestString(t *testing.T) {
	tm := newTimer(t)
	l := listen(t, tm, 2*time.Minute)
	peer := dial(t, l)
	accepted, err := l.Accept()
	require.NoError(t, err)
	conn := accepted.(*idle.Conn)
	ends := "tcp " + l.Addr().String() + "->" + peer.LocalAddr().String()
	require.Equal(t, "idle.Listener(tcp "+l.Addr().String()+", 2m0s)", fmt.Sprint(l))
	require.Equal(t, "idle.Conn("+ends+", 2m0s)", conn.String())
	conn.SetIdleTimeout(0)
	require.Equal(t, "idle.Conn("+ends+", no idle time)", conn.String())
	require.NoError(t, conn.Close())
	require.Equal(t, "idle.Conn("+ends+", ended)", conn.String())
	require.Equal(t, "idle.Conn(not in use)", new(idle.Conn).String())
	require.Equal(t, "idle.Conn(? ?->?, 1s)", new(fake).in(t).String())
	virtual(t, func(t *testing.T, s scene) {
		s.closedAfter(t, d)
		require.Equal(t, "idle.Conn(pipe pipe->pipe, was idle)", s.conn.String())
	})
	w := new(idle.Watcher)
	require.False(t, w.Stop())
	require.Equal(t, "idle.Watcher(not in use)", w.String())
	w, err = idle.Watch(tm, peer, 2*time.Minute, func(net.Conn) {})
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	require.NoError(t, err)
	require.Regexp(t, `^idle.Watcher\(tcp .*->.*, 2m0s\)$`, w.String())
	require.True(t, w.Stop())
	require.Regexp(t, `, ended\)$`, w.String())
}
