package keyed_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A buffer is reused by a server that passes on strings over it, as fasthttp does.
type buffer []byte

// key returns a string that changes with the buffer.
func (b buffer) key() string { return unsafe.String(&b[0], len(b)) }

// inBuffer runs f with a Map in which "a" has the value 1 for 50 ms, and the bytes of
// that key have become "z".
func inBuffer(t *testing.T, f func(x *fixture)) {
	inBubble(t, func(x *fixture) {
		b := buffer("a")
		x.set(b.key(), 1, 50*time.Millisecond)
		b[0] = 'z'
		f(x)
	})
}

func TestKeyWhoseBytesChangeStillExpires(t *testing.T) {
	inBuffer(t, func(x *fixture) {
		x.pass(time.Hour)
		assert.Equal(t, []end{{"z", 1, 50 * time.Millisecond}}, x.ends)
		assert.Zero(t, x.m.Len())
		assert.Empty(t, x.content())
		for _, k := range []string{"a", "z"} {
			_, ok := x.m.Get(k)
			assert.False(t, ok, k)
			_, ok = x.m.Delete(k)
			assert.False(t, ok, k)
		}
	})
}

// A due key is moved by a new entry, whose key is not the caller's.
func TestDueKeyThatIsMovedKeepsTheKeyOfItsFirstSet(t *testing.T) {
	for name, move := range map[string]func(m *keyed.Map[string, int], k string) error{
		"Touch": func(m *keyed.Map[string, int], k string) error { m.Touch(k, time.Second); return nil },
		"Set":   func(m *keyed.Map[string, int], k string) error { return m.Set(k, 1, time.Second) },
	} {
		clock, tm := timertest.NewManual(hashedwheel.WithExecutor(new(timertest.HeldBack)))
		m, b := keyed.New(tm, func(string, int) {}), buffer("a")
		require.NoError(t, m.Set("a", 1, tick))
		clock.Advance(tick)
		require.NoError(t, move(m, b.key()))
		b[0] = 'z'
		v, ok := m.Get("a")
		assert.True(t, ok, name)
		assert.Equal(t, 1, v)
		tm.Stop()
	}
}

func TestDrainTakesKeysWhoseBytesChanged(t *testing.T) {
	inBuffer(t, func(x *fixture) {
		x.set("a", 2, time.Hour)
		sum := 0
		x.m.Drain(func(_ string, v int) { sum += v })
		assert.Equal(t, 3, sum)
		assert.Zero(t, x.m.Len())
		assert.Zero(t, x.tm.Pending())
		x.pass(2 * time.Hour)
		assert.Empty(t, x.ends)
	})
}

// Every key changes in a server that passes on strings over a few buffers.
func TestManyKeysWhoseBytesChangeAllExpire(t *testing.T) {
	const rounds, keys = 50, 400
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	expired := 0
	m := keyed.New(tm, func(string, int) { expired++ })
	buffers := make([]buffer, 3)
	for i := range buffers {
		buffers[i] = buffer("00000000")
	}
	sets := 0
	for r := range rounds {
		for k := range keys {
			b := buffers[(r+k)%len(buffers)]
			copy(b, []byte{byte(k), byte(k >> 8), 'k', 'e', 'y'})
			before := m.Len()
			require.NoError(t, m.Set(b.key(), k, 2*tick))
			sets += m.Len() - before // the others replaced a value
		}
		require.LessOrEqual(t, m.LongestChain(), len(buffers), "which makes calls slower")
		clock.Advance(tick)
	}
	clock.Advance(time.Second)
	assert.Equal(t, sets, expired)
	assert.Zero(t, m.Len())
	assert.Zero(t, tm.Pending())
}
