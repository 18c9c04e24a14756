package idle

import (
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The package comment's claims about the kernel, checked on this kernel. Each connection is silent for the time silence
// before an event.
const silence = 300 * time.Millisecond

func TestKernelCountsData(t *testing.T) {
	t.Parallel()
	nothing := func(*testing.T, *net.TCPConn, *net.TCPConn) {}
	sent := func(t *testing.T, here, _ *net.TCPConn) { write(t, here) }
	received := func(t *testing.T, _, there *net.TCPConn) { write(t, there) } // but does not read it
	theirEnd := func(t *testing.T, _, there *net.TCPConn) { require.NoError(t, there.CloseWrite()) }
	ourEnd := func(t *testing.T, here, _ *net.TCPConn) { require.NoError(t, here.CloseWrite()) }
	tests := map[string]struct {
		happens        func(t *testing.T, here, there *net.TCPConn)
		received, sent bool // whether the kernel counts it as data just received, or sent
	}{
		"nothing":           {nothing, false, false},
		"data sent":         {sent, false, true},
		"data received":     {received, true, false},
		"keep-alive probes": {keepAlive, false, false},
		"the peer's end":    {theirEnd, false, false},
		"an end":            {ourEnd, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here, there := connect(t)
			time.Sleep(silence)
			begun := time.Now()
			tt.happens(t, here, there)
			time.Sleep(silence / 10)
			require.Eventually(t, func() bool { // the machine may deliver late
				received, sent := data(t, here)
				since := time.Since(begun) + silence/2 // data from before is older than that
				t.Logf("begun %v ago, received %v ago, sent %v ago", since-silence/2, received, sent)
				return tt.received == (received < since) && tt.sent == (sent < since)
			}, 20*time.Second, silence/10)
		})
	}
}

// Probes without data are sent to a peer that no longer reads, and do not count.
func TestDataThatWaitsForTheReaderDoesNotCount(t *testing.T) {
	t.Parallel()
	here, _ := connect(t)
	require.NoError(t, here.SetWriteDeadline(time.Now().Add(silence)))
	_, err := here.Write(make([]byte, 64<<20))
	require.Error(t, err)
	time.Sleep(silence)
	before := time.Now()
	_, sent := data(t, here)
	after := time.Now()
	time.Sleep(3 * silence) // probes come after 200 ms, 400 ms and so on
	least := time.Since(after)
	_, later := data(t, here)
	require.GreaterOrEqual(t, later-sent, least-silence/2)
	require.LessOrEqual(t, later-sent, time.Since(before)+silence/2)
}

// A peer repeatedly goes away for half a second, and then acknowledges the data that was sent to it, within less than
// an idle time: its connection stays open.
func TestNeverEarlyPeerThatIsSometimesAway(t *testing.T) {
	t.Parallel()
	const d = 1200 * time.Millisecond
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	var running sync.WaitGroup
	for range 20 {
		here, there := connect(t)
		sendAgainSteadily(t, here)
		w, err := Watch(tm, here, d, func(net.Conn) {})
		require.NoError(t, err)
		running.Go(func() {
			steady := true
			for i := 0; i < 6 && steady; i++ {
				begun := time.Now()
				time.Sleep(rand.N(d / 5))
				dropAll(t, there)
				write(t, here)
				time.Sleep(500 * time.Millisecond)
				dropNone(t, there)
				for report(t, here).resending && time.Since(begun) < 2*d {
					time.Sleep(time.Millisecond)
				}
				steady = time.Since(begun) < d*15/16 // otherwise the machine stood still
			}
			assert.True(t, w.Stop() || !steady)
		})
	}
	running.Wait()
}

// Once the peer has vanished, the connection becomes idle while the kernel still resends the data. On a busy machine
// the looks may come so late that the kernel has just stopped: then another connection is tried.
func TestVanishedPeerIsIdle(t *testing.T) {
	t.Parallel()
	const d = 500 * time.Millisecond
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	for range 10 {
		here, there := connect(t)
		sendAgainSteadily(t, here)
		dropAll(t, there)
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

func connect(t testing.TB) (here, there *net.TCPConn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	s, err := l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = c.Close(), s.Close() })
	socket, err := socketOf(s)
	require.NoError(t, err)
	if err := socket.supported(); err != nil {
		t.Skip("the kernel does not count:", err)
	}
	return s.(*net.TCPConn), c.(*net.TCPConn)
}

func write(t *testing.T, c *net.TCPConn) {
	_, err := c.Write([]byte("!"))
	require.NoError(t, err)
}

func data(t *testing.T, c *net.TCPConn) (received, sent time.Duration) {
	now := report(t, c)
	return now.received, now.sent
}

func report(t *testing.T, c *net.TCPConn) (now traffic) {
	socket, err := socketOf(c)
	require.NoError(t, err)
	now, err = socket.traffic()
	require.NoError(t, err)
	return now
}

func keepAlive(t *testing.T, here, there *net.TCPConn) {
	for _, c := range []*net.TCPConn{here, there} {
		require.NoError(t, c.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: time.Second, Interval: time.Second, Count: 10,
		}))
	}
	time.Sleep(2500 * time.Millisecond)
}

// dropAll makes a socket drop all packets, as if its machine had vanished.
func dropAll(t *testing.T, c *net.TCPConn) {
	const ret = 0x06
	filter := syscall.SockFilter{Code: ret, K: 0}
	program := syscall.SockFprog{Len: 1, Filter: &filter}
	onSocket(t, c, func(fd int) error {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&program)), unsafe.Sizeof(program))
		return syscall.SetsockoptString(fd, syscall.SOL_SOCKET, syscall.SO_ATTACH_FILTER, string(b))
	})
}

func dropNone(t *testing.T, c *net.TCPConn) {
	onSocket(t, c, func(fd int) error {
		return syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_DETACH_FILTER, 0)
	})
}

// sendAgainSteadily makes the kernel resend unacknowledged data about every 200 ms for more than a second, rather than
// at ever longer intervals.
func sendAgainSteadily(t *testing.T, c *net.TCPConn) {
	const thinLinearTimeouts = 16 // TCP_THIN_LINEAR_TIMEOUTS
	onSocket(t, c, func(fd int) error { return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, thinLinearTimeouts, 1) })
}

func onSocket(t *testing.T, c *net.TCPConn, set func(fd int) error) {
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { err = set(int(fd)) }))
	require.NoError(t, err)
}

// gVisor answers with zeros. From Linux they would mean that data has just been received.
func TestTrafficIsUnsupportedWhereTheKernelReportsZerosOrLess(t *testing.T) {
	info := syscall.TCPInfo{State: 1, Rto: 1_000_000} // of gVisor, connected and silent for a while
	_, err := trafficIn(&info, uint32(unsafe.Sizeof(info)))
	require.ErrorIs(t, err, errors.ErrUnsupported)

	info = syscall.TCPInfo{Snd_mss: 1448, Last_data_recv: 1, Last_data_sent: 2, Last_ack_recv: 3, Retransmits: 4}
	for size, want := range map[uintptr]error{
		4:                                   errors.ErrUnsupported, // a kernel that knows only options of one int
		unsafe.Offsetof(info.Last_ack_recv): errors.ErrUnsupported,
		unsafe.Offsetof(info.Pmtu):          nil, // the field after it
		unsafe.Sizeof(info):                 nil,
	} {
		now, err := trafficIn(&info, uint32(size))
		require.ErrorIs(t, err, want, size)
		if want == nil {
			require.Equal(t, traffic{received: ms(1), sent: ms(2), acked: ms(3), resending: true}, now)
		}
	}
}
