package idle_test

import (
	"net"
	"testing"
	"time"

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
		"idle: NewConn with a nil Option":     func() { _, _ = idle.NewConn(tm, c, d, idle.WithCounting(), nil) },
		"idle: NewListener with a nil Timer":  func() { idle.NewListener(tm, nil, d) },
		"idle: NewListener with a nil Option": func() { idle.NewListener(tm, l, d, nil) },
		"idle: WithOnIdle with a nil func":    func() { idle.WithOnIdle(nil) },
	}
	for message, call := range tests {
		t.Run(message, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), message) }()
			call()
		})
	}
}

func TestNamesOfConnsAndWatchersAreShown(t *testing.T) {
	tm := newTimer(t)
	shown := func() string { return tm.Sample(1)[0].Name }
	for want, opts := range map[string][]idle.Option{
		"idle connection": nil,
		"last":            {idle.WithName("first"), idle.WithName("last")},
	} {
		l := listen(t, tm, time.Minute, opts...)
		dial(t, l)
		c, err := l.Accept()
		require.NoError(t, err)
		require.Equal(t, want, shown())
		require.NoError(t, c.Close())
	}
	watchable(t)
	here, _ := tcp(t)
	w, err := idle.Watch(tm, here, time.Minute, func(net.Conn) {}, idle.WithName("watched"))
	require.NoError(t, err)
	require.Equal(t, "watched", shown())
	require.True(t, w.Stop())
	require.False(t, w.Stop())
	require.Zero(t, tm.Pending(), "a watch that ends makes room")
}
