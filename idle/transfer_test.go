package idle_test

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// piece is the number of bytes that a peer must read in each idle time.
const piece = 8 << 10

// A long Write to a slow reader is not idle until the reader stops.
func TestLongWriteLastsWhileItsReaderReads(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		const pieces = 20
		written := make(chan int, 1)
		go func() {
			n, err := s.conn.Write(make([]byte, (pieces+1)*piece))
			assert.Equal(t, idle.ErrIdle, err)
			written <- n
		}()
		for range pieces {
			time.Sleep(d - tick)
			_, err := io.CopyN(io.Discard, s.peer, piece)
			require.NoError(t, err)
		}
		start := time.Now()
		require.Equal(t, pieces*piece, <-written)
		require.InDelta(t, d, time.Since(start), float64(tick))
	})
}

// A caller sets deadlines and tries again, and the peer neither reads nor writes.
func TestCallsThatMoveNoDataDoNotCount(t *testing.T) {
	calls := map[string]func(c *idle.Conn, b []byte) (int, error){
		"Read": (*idle.Conn).Read, "Write": (*idle.Conn).Write,
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, s scene) {
				start := time.Now()
				var err error
				for err != idle.ErrIdle && time.Since(start) < 2*d {
					require.NoError(t, s.conn.SetDeadline(time.Now().Add(d/3)))
					_, err = call(s.conn, []byte("!"))
				}
				require.InDelta(t, d, time.Since(start), float64(tick))
			})
		})
	}
}

// In real time: a bubble's time stands still while a goroutine waits for a mutex. The peer reads so slowly that the
// pieces of a second Write could be mixed in.
func TestWritesAtTheSameTimeAreNotMixed(t *testing.T) {
	const size = 5 * piece
	here, there := net.Pipe()
	conn, err := idle.NewConn(newTimer(t), here, time.Minute)
	require.NoError(t, err)
	for _, b := range []byte("ab") {
		go func() { _, _ = conn.Write(bytes.Repeat([]byte{b}, size)) }()
	}
	for range 2 {
		var half bytes.Buffer
		for range size / piece {
			time.Sleep(2 * time.Millisecond)
			_, err := io.CopyN(&half, there, piece)
			require.NoError(t, err)
		}
		require.Equal(t, size, bytes.Count(half.Bytes(), half.Bytes()[:1]))
	}
	require.NoError(t, conn.Close())
}

// A fake is a connection that only its Conn can count.
type fake struct {
	net.Conn
	writes   []int
	short    bool
	deadline atomic.Int32 // calls of SetDeadline and the like
	whole    atomic.Int32 // calls of ReadFrom and WriteTo
}

func (f *fake) LocalAddr() net.Addr  { return nil }
func (f *fake) RemoteAddr() net.Addr { return nil }

func (f *fake) Read(b []byte) (int, error) { return len(b), io.EOF }

func (f *fake) Write(b []byte) (int, error) {
	f.writes = append(f.writes, len(b))
	if f.short {
		return len(b) - 1, nil
	}
	return len(b), nil
}

func (f *fake) SetDeadline(time.Time) error         { f.deadline.Add(1); return nil }
func (f *fake) SetReadDeadline(time.Time) error     { f.deadline.Add(1); return nil }
func (f *fake) SetWriteDeadline(time.Time) error    { f.deadline.Add(1); return nil }
func (f *fake) ReadFrom(r io.Reader) (int64, error) { f.whole.Add(1); return 0, nil }
func (f *fake) WriteTo(io.Writer) (int64, error)    { f.whole.Add(1); return 0, nil }
func (f *fake) Close() error                        { return nil }
func (f *fake) in(t *testing.T) *idle.Conn {
	c, err := idle.NewConn(newTimer(t), f, d)
	require.NoError(t, err)
	return c
}

// A fake may be a WebSocket: each Write is a message.
func TestWritesOfUnknownConnsArePassedOnWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		c := f.in(t)
		for _, size := range []int{100 << 10, 0} {
			n, err := c.Write(make([]byte, size))
			require.NoError(t, err)
			require.Equal(t, size, n)
		}
		require.Equal(t, []int{100 << 10, 0}, f.writes)
		f.short = true
		_, err := c.Write(make([]byte, 10))
		require.Equal(t, io.ErrShortWrite, err)
		require.NoError(t, c.Close())
	})
}

// A Conn cannot count a transfer that it passes on whole, so it does so only where the kernel counts.
func TestTransfersAreNotPassedOnWhereTheConnCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		c := f.in(t)
		_, err := c.ReadFrom(bytes.NewReader(make([]byte, 10)))
		require.NoError(t, err)
		require.Equal(t, []int{10}, f.writes)
		n, err := c.WriteTo(io.Discard)
		require.NoError(t, err)
		require.NotZero(t, n)
		require.Zero(t, f.whole.Load())
	})
}

// A whole is a TCP connection that counts the transfers that were left to it.
type whole struct {
	*net.TCPConn
	calls int
}

func (w *whole) ReadFrom(r io.Reader) (int64, error)  { w.calls++; return w.TCPConn.ReadFrom(r) }
func (w *whole) WriteTo(out io.Writer) (int64, error) { w.calls++; return w.TCPConn.WriteTo(out) }

func TestTCPConnectionUsesTheTransfersOfTheKernel(t *testing.T) {
	watchable(t)
	tm := newTimer(t)
	in, source := tcp(t)
	out, sink := tcp(t)
	from, to := &whole{TCPConn: in}, &whole{TCPConn: out}
	a, err := idle.NewConn(tm, from, time.Hour)
	require.NoError(t, err)
	defer a.Close()
	b, err := idle.NewConn(tm, to, time.Hour)
	require.NoError(t, err)
	defer b.Close()

	_, err = source.Write([]byte("data"))
	require.NoError(t, err)
	require.NoError(t, source.CloseWrite())
	n, err := io.Copy(b, a)
	require.NoError(t, err)
	require.EqualValues(t, len("data"), n)
	require.Equal(t, 1, from.calls, "io.Copy calls WriteTo")
	require.Equal(t, 1, to.calls, "which calls the other's ReadFrom: splice")
	require.NoError(t, b.CloseWrite())
	got, err := io.ReadAll(sink)
	require.NoError(t, err)
	require.Equal(t, "data", string(got))
}
