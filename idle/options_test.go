package idle_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

func TestMisusePanics(t *testing.T) {
	tm, c := newTimer(t), &net.TCPConn{}
	l := new(net.TCPListener)
	onIdle := func(net.Conn) {}
	tests := map[string]func(){
		"idle: Watch with a nil Timer":        func() { _, _ = idle.Watch(tm, c, d, nil) },
		"idle: Watch with a nil Option":       func() { _, _ = idle.Watch(tm, c, d, onIdle, nil) },
		"idle: NewConn with a nil Timer":      func() { _, _ = idle.NewConn(nil, c, d) },
		"idle: NewConn with a nil Option":     func() { _, _ = idle.NewConn(tm, c, d, idle.Counted(), nil) },
		"idle: NewListener with a nil Timer":  func() { idle.NewListener(tm, nil, d) },
		"idle: NewListener with a nil Option": func() { idle.NewListener(tm, l, d, nil) },
		"idle: OnIdle with a nil func":        func() { idle.OnIdle(nil) },
	}
	for message, call := range tests {
		t.Run(message, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), message) }()
			call()
		})
	}
}

// On every system, also where Watch is not supported.
func TestWatchRefusesOptionsOfAConn(t *testing.T) {
	pipe, _ := net.Pipe()
	for want, opt := range map[string]idle.Option{
		"idle: Watch with OnIdle":  idle.OnIdle(func(net.Conn) {}),
		"idle: Watch with Counted": idle.Counted(),
	} {
		_, err := idle.Watch(newTimer(t), pipe, d, func(net.Conn) {}, opt)
		require.ErrorContains(t, err, want)
	}
}

// The test writes data to the connection inside, so that the kernel sees it and the Conn does not.
// Only the Conn that counts is idle then.
func TestCountedConnIsNotWatched(t *testing.T) {
	watchable(t)
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []idle.Option
		idle bool
	}{
		"watched": {},
		"counted": {opts: []idle.Option{idle.Counted()}, idle: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSteps(t, short, func(each func(talk func())) (check func()) {
				here, _ := tcp(t)
				told := make(chan net.Conn, 1)
				onIdle := idle.OnIdle(func(c net.Conn) { told <- c })
				conn, err := idle.NewConn(newTimer(t), here, short, append(tt.opts, onIdle)...)
				require.NoError(t, err)
				for i := 0; i < 12 || tt.idle && len(told) == 0 && i < 200; i++ {
					each(func() { _, _ = here.Write([]byte("!")) })
				}
				wasTold := len(told) == 1
				return func() {
					require.Equal(t, tt.idle, wasTold)
					require.NoError(t, conn.Close())
				}
			})
		})
	}
}

func TestNameIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, opts := range map[string][]idle.Option{
			"idle connection": nil,
			"chat":            {idle.Name("chat")},
			"last":            {idle.Name("first"), idle.Name("last")},
		} {
			tm := newTimer(t)
			here, _ := net.Pipe()
			conn, err := idle.NewConn(tm, here, d, opts...)
			require.NoError(t, err)
			pending := tm.Sample(1)
			require.Len(t, pending, 1)
			require.Equal(t, want, taskName(pending[0]))
			require.NoError(t, conn.Close())
		}
	})
}

func TestNameOfAWatchAndOfAListenersConnIsShown(t *testing.T) {
	tm := newTimer(t)
	l := listen(t, tm, time.Minute, idle.Name("served"))
	dial(t, l)
	c, err := l.Accept()
	require.NoError(t, err)
	require.Equal(t, "served", taskName(tm.Sample(1)[0]))
	require.NoError(t, c.Close())

	watchable(t)
	here, _ := tcp(t)
	w, err := idle.Watch(tm, here, time.Minute, func(net.Conn) {}, idle.Name("watched"))
	require.NoError(t, err)
	require.Equal(t, "watched", taskName(tm.Sample(1)[0]))
	require.True(t, w.Stop())
}

func taskName(to hashedwheel.Sampled) string {
	return to.Task.(interface{ TaskName() string }).TaskName()
}
