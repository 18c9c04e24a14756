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

// Every key changes in a server that passes on strings over a few buffers.
func TestKeysWhoseBytesChangeExpireOrAreDrained(t *testing.T) {
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
	drained := 0
	m.Drain(func(string, int) { drained++ })
	assert.NotZero(t, drained)
	assert.Equal(t, sets, expired+drained)
	assert.Zero(t, m.Len())
	assert.Zero(t, tm.Pending())
}
