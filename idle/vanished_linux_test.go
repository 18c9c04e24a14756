package idle

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// requireVanishes makes the peer vanish, and requires that the connection becomes idle while the kernel still resends
// the data. On a busy machine the looks may come so late that the kernel has just stopped: then another connection is
// tried.
func requireVanishes(t *testing.T, connect func() (here, there *net.TCPConn), vanish func(there *net.TCPConn)) {
	const d = 500 * time.Millisecond
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	for range 10 {
		here, there := connect()
		sendAgainSteadily(t, here)
		vanish(there)
		at := make(chan traffic, 1)
		start := time.Now()
		_, err := Watch(tm, here, d, func(net.Conn) { at <- report(t, here) })
		require.NoError(t, err)
		write(t, here)
		now := <-at
		took := time.Since(start)
		require.GreaterOrEqual(t, took, d)
		if now.sent < d {
			t.Logf("idle after %v, and sent again %v ago", took, now.sent)
			return
		}
	}
	t.Error("retransmissions keep the connection open")
}

func TestVanishedPeerIsIdle(t *testing.T) {
	t.Parallel()
	requireVanishes(t, func() (here, there *net.TCPConn) { return connect(t) }, func(c *net.TCPConn) { dropAll(t, c) })
}

// Two machines share a separate network, and one loses its address.
func TestVanishedMachineIsIdle(t *testing.T) {
	t.Parallel()
	ours, theirs := newNamespace(t), newNamespace(t)
	ours.ip(t, "link add idle0 type veth peer name idle1 netns "+theirs.path)
	ours.ip(t, "addr add 10.9.8.1/24 dev idle0")
	ours.ip(t, "link set idle0 up")
	theirs.ip(t, "link set idle1 up")
	requireVanishes(t, func() (here, there *net.TCPConn) {
		theirs.ip(t, "addr add 10.9.8.2/24 dev idle1")
		var l net.Listener
		var err error
		ours.do(func() { l, err = net.Listen("tcp", "10.9.8.1:0") })
		require.NoError(t, err)
		defer l.Close()
		var c net.Conn
		theirs.do(func() { c, err = net.Dial("tcp", l.Addr().String()) })
		require.NoError(t, err)
		s, err := l.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { _, _ = c.Close(), s.Close() })
		return s.(*net.TCPConn), c.(*net.TCPConn)
	}, func(*net.TCPConn) { theirs.ip(t, "addr del 10.9.8.2/24 dev idle1") })
}

// A namespace has a thread in a separate network namespace, which ends with the test.
type namespace struct {
	calls chan func()
	path  string
}

func newNamespace(t *testing.T) *namespace {
	n, made := &namespace{calls: make(chan func())}, make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		n.path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), syscall.Gettid())
		made <- syscall.Unshare(syscall.CLONE_NEWNET)
		for f := range n.calls {
			f()
		}
	}()
	t.Cleanup(func() { close(n.calls) })
	if err := <-made; err != nil {
		t.Skip("no right to make a network namespace:", err)
	}
	return n
}

// do calls f in the namespace.
func (n *namespace) do(f func()) {
	done := make(chan struct{})
	n.calls <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (n *namespace) ip(t *testing.T, args string) {
	var out []byte
	var err error
	n.do(func() { out, err = exec.Command("ip", strings.Fields(args)...).CombinedOutput() })
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no iproute2:", err)
	}
	require.NoError(t, err, "ip %s: %s", args, out)
}
