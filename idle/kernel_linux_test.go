package idle

import (
	"net"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// What the package comment says of the kernel, seen on the kernel there is. Each
// connection is silent for silence, then something happens to it.
const silence = 300 * time.Millisecond

func TestWhatTheKernelCounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		happens        func(t *testing.T, here, there *net.TCPConn)
		received, sent bool // is it taken for data that has just been received, or sent?
	}{
		"nothing":             {func(*testing.T, *net.TCPConn, *net.TCPConn) {}, false, false},
		"data sent":           {func(t *testing.T, here, _ *net.TCPConn) { write(t, here) }, false, true},
		"data come, not read": {func(t *testing.T, _, there *net.TCPConn) { write(t, there) }, true, false},
		"keep-alive probes":   {keepAlive, false, false},
		"the peer's end":      {func(t *testing.T, _, there *net.TCPConn) { require.NoError(t, there.CloseWrite()) }, false, false},
		"an end":              {func(t *testing.T, here, _ *net.TCPConn) { require.NoError(t, here.CloseWrite()) }, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here, there := connect(t)
			time.Sleep(silence)
			tt.happens(t, here, there)
			time.Sleep(silence / 10)
			received, sent := data(t, here)
			require.Equal(t, tt.received, received < silence, "received %v ago", received)
			require.Equal(t, tt.sent, sent < silence, "sent %v ago", sent)
		})
	}
}

// What it costs to ask.
func BenchmarkLook(b *testing.B) {
	here, _ := connect(b)
	k, err := openKernel(here, false)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = k.left(time.Minute)
	}
}

// A peer that has vanished is sent the same data again and again, and that counts. The
// kernel doubles the time between two of these.
func TestWhatIsSentAgainCounts(t *testing.T) {
	t.Parallel()
	here, there := connect(t)
	dropAll(t, there)
	write(t, here)
	start := time.Now()
	require.Eventually(t, func() bool {
		_, sent := data(t, here)
		return time.Since(start)-sent > silence
	}, 20*time.Second, 20*time.Millisecond)
	received, _ := data(t, here)
	require.GreaterOrEqual(t, received, silence)
}

// A peer that reads no more is sent probes without data, and that does not count.
func TestWhatWaitsForTheReaderDoesNotCount(t *testing.T) {
	t.Parallel()
	here, _ := connect(t)
	require.NoError(t, here.SetWriteDeadline(time.Now().Add(silence)))
	_, err := here.Write(make([]byte, 64<<20))
	require.Error(t, err)
	time.Sleep(silence)
	before := time.Now()
	_, sent := data(t, here)
	time.Sleep(3 * silence) // probes come after 200 ms, 400 ms and so on
	_, later := data(t, here)
	require.InDelta(t, time.Since(before), later-sent, float64(silence/2))
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
	if _, err := openKernel(s, false); err != nil {
		t.Skip("no kernel that counts for us:", err)
	}
	return s.(*net.TCPConn), c.(*net.TCPConn)
}

func write(t *testing.T, c *net.TCPConn) {
	_, err := c.Write([]byte("!"))
	require.NoError(t, err)
}

func data(t *testing.T, c *net.TCPConn) (received, sent time.Duration) {
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { received, sent, err = lastData(fd) }))
	require.NoError(t, err)
	return received, sent
}

func keepAlive(t *testing.T, here, there *net.TCPConn) {
	for _, c := range []*net.TCPConn{here, there} {
		require.NoError(t, c.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: time.Second, Interval: time.Second, Count: 10,
		}))
	}
	time.Sleep(2500 * time.Millisecond)
}

// dropAll has a socket drop whatever comes, as if its machine had vanished.
func dropAll(t *testing.T, c *net.TCPConn) {
	const ret = 0x06
	filter := syscall.SockFilter{Code: ret, K: 0}
	program := syscall.SockFprog{Len: 1, Filter: &filter}
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&program)), unsafe.Sizeof(program))
		err = syscall.SetsockoptString(int(fd), syscall.SOL_SOCKET, syscall.SO_ATTACH_FILTER, string(b))
	}))
	require.NoError(t, err)
}
