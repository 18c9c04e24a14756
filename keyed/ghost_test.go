package keyed_test

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		assert.Equal(t, []end{{"z", 1, 50 * time.Millisecond}}, x.expired())
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

func TestSetUnderTheTrueKeyExpiresAfterTheBytesOfAnOlderKeyChanged(t *testing.T) {
	for name, wait := range map[string]time.Duration{
		"while the older one is there":    0,
		"after the older one has expired": time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			inBuffer(t, func(x *fixture) {
				x.pass(wait)
				for v := range 3 {
					x.set("a", v, 70*time.Millisecond)
					got, ok := x.m.Get("a")
					assert.True(t, ok)
					assert.Equal(t, v, got)
				}
				x.pass(time.Hour)
				ends := []end{{"z", 1, 50 * time.Millisecond}, {"a", 2, wait + 70*time.Millisecond}}
				assert.Equal(t, ends, x.expired())
				assert.Zero(t, x.m.Len())
				x.set("a", 9, 10*time.Millisecond)
				x.pass(time.Hour)
				assert.Len(t, x.expired(), 3)
				assert.Zero(t, x.tm.Pending())
			})
		})
	}
}

func TestExpiredKeyWhoseBytesChangeBackIsGone(t *testing.T) {
	inBubble(t, func(x *fixture) {
		b := buffer("a")
		x.set(b.key(), 1, 50*time.Millisecond)
		for i := range 10 { // so many that the entry is not swept out at once
			x.set(strings.Repeat("other", i+1), 1, time.Hour)
		}
		b[0] = 'z'
		x.pass(time.Second)
		b[0] = 'a'
		_, ok := x.m.Get("a")
		assert.False(t, ok)
		_, ok = x.m.Delete("a")
		assert.False(t, ok)
		x.set("a", 2, 50*time.Millisecond)
		x.pass(time.Second)
		assert.Len(t, x.expired(), 2)
		assert.Equal(t, 10, x.m.Len())
		assert.Len(t, x.content(), 10)
	})
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
		assert.Empty(t, x.expired())
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
