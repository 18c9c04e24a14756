package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lease is a user's struct, as programs pool them and keep them in slices.
type lease struct {
	Timeout
	expired func()
}

func (l *lease) Run(*Timeout) {
	if l.expired != nil {
		l.expired()
	}
}

const (
	ofALease = "^hashedwheel: Timeout of a \\*hashedwheel.lease was copied or overwritten after it was armed$"
	cleared  = "^hashedwheel: Timeout that has been cleared was copied or overwritten after it was armed$"
)

// misusers are leases of one timer, armed for the same tick. In their bucket the
// first is the first; in the queue it is the last.
type misusers struct {
	clock *ManualClock
	tm    *Timer
	all   []*lease
}

func newMisusers() misusers {
	clock := NewManualClock(time.Unix(0, 0))
	m := misusers{clock: clock, tm: MustNew(WithClock(clock), WithExecutor(Inline{}))}
	for range 3 {
		l := new(lease)
		m.all = append(m.all, l)
		m.arm(l)
	}
	return m
}

func (m misusers) arm(l *lease) {
	l.Init(m.tm, l)
	l.Reset(time.Second)
}

func (m misusers) file()       { m.tm.Pending() }
func (m misusers) expire()     { m.clock.Advance(time.Minute) }
func (m misusers) clear(i int) { *m.all[i] = lease{} }

// grow copies a lease as append does: the vet check does not see it.
func (m misusers) grow(i int) *lease {
	one := make([]lease, 1)
	m.arm(&one[0])
	m.file()
	grown := append(one, lease{})
	m.all[i] = &one[0]
	return &grown[0]
}

func TestMisuseOfATimeoutPanics(t *testing.T) {
	for says, row := range map[string]struct {
		misuse func(m misusers)
		want   string
	}{
		"the one behind is cleared, and this one stopped": {func(m misusers) {
			m.file()
			m.clear(1)
			m.all[0].Stop()
			m.file()
		}, cleared},
		"the one before is cleared, and this one stopped": {func(m misusers) {
			m.file()
			m.clear(1)
			m.all[2].Stop()
			m.file()
		}, ofALease},
		"the first is cleared, and expires": {func(m misusers) {
			m.file()
			m.clear(0)
			m.expire()
		}, cleared},
		"one in the middle is cleared, and the first expires": {func(m misusers) {
			m.file()
			m.clear(1)
			m.expire()
		}, cleared},
		"the first is cleared, and another is filed": {func(m misusers) {
			m.file()
			m.clear(0)
			m.arm(new(lease))
			m.file()
		}, cleared},
		"the first is cleared and armed anew": {func(m misusers) {
			m.file()
			m.clear(0)
			m.arm(m.all[0])
			m.file()
		}, ofALease},
		"a copy is stopped":                  {func(m misusers) { m.grow(0).Stop(); m.file() }, ofALease},
		"a copy is moved earlier":            {func(m misusers) { m.grow(0).Reset(0); m.file() }, ofALease},
		"one in the queue is cleared":        {func(m misusers) { m.clear(1); m.file() }, cleared},
		"one in the queue is cleared: drain": {func(m misusers) { m.clear(2); m.expire() }, cleared},
		"one in the queue is cleared: Stop":  {func(m misusers) { m.clear(2); m.tm.Stop() }, cleared},
		"the last in the queue is cleared and armed anew": {func(m misusers) {
			m.clear(0)
			m.arm(m.all[0])
			m.file()
		}, ofALease},
		"the newest in the queue is cleared and armed anew": {func(m misusers) {
			m.clear(2)
			m.arm(m.all[2])
			m.file()
		}, ofALease},
		"one that waits for its turn is cleared": {func(m misusers) {
			m.all[0].expired = func() { m.clear(1) }
			m.expire()
		}, cleared},
		"one that waits for its turn is cleared and armed anew": {func(m misusers) {
			m.all[0].expired = func() { m.clear(1); m.arm(m.all[1]); m.file() }
			m.expire()
		}, ofALease},
	} {
		t.Run(says, func(t *testing.T) {
			defer func() {
				got := recover()
				require.NotNil(t, got, "no panic")
				if !invariants { // whose check may come before
					assert.Regexp(t, row.want, got)
				}
			}()
			row.misuse(newMisusers())
		})
	}
}

// A task may arm its own Timeout again, and those that wait for their turn.
func TestWhatAProgramMayDoIsNoMisuse(t *testing.T) {
	m := newMisusers()
	m.all[0].expired = func() { m.all[0].Reset(time.Second) }
	m.all[1].expired = func() { m.all[2].Stop(); m.all[2].Reset(0); m.file() }
	m.clock.Advance(10 * time.Second)
	assert.Equal(t, []*Timeout{&m.all[0].Timeout}, m.tm.Stop())
}

// What runs into a list that was cut panics before it has looked at all timeouts
// for ever: unqueue meets the same twice.
func TestUnqueueOfOneThatIsNotQueuedIsMisuse(t *testing.T) {
	for s := Idle; s <= tooLate; s++ {
		r := newRig(pack(9, alone, s))
		assert.PanicsWithValue(t, "hashedwheel: Timeout of a hashedwheel.plainFunc was copied or overwritten after it was armed", func() { r.unqueue() }, s)
	}
}
