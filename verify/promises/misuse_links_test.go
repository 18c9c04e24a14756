package promises

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// loan is a user's struct, as programs pool them and keep them in slices.
type loan struct {
	hashedwheel.Timeout
	expired func()
}

func (l *loan) Run(*hashedwheel.Timeout) {
	if l.expired != nil {
		l.expired()
	}
}

// With -tags invariants its checks may see it first.
const (
	ofALoan = `^hashedwheel: (Timeout of a \*promises\.loan was copied or overwritten after it was armed|invariant: .*)$`
	cleared = `^hashedwheel: (Timeout that has been cleared was copied or overwritten after it was armed|invariant: .*)$`
)

// misusers are loans of one timer, armed for the same tick. In their bucket the
// first is the first; in the queue it is the last, since they lie in one page of the heap and so
// meet in one stripe.
type misusers struct {
	clock *hashedwheel.ManualClock
	tm    *hashedwheel.Timer
	all   []*loan
}

func newMisusers() misusers {
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	m := misusers{clock: clock, tm: tm}
	loans := new([3]loan)
	for i := range loans {
		m.all = append(m.all, &loans[i])
		m.arm(&loans[i])
	}
	return m
}

func (m misusers) arm(l *loan) {
	l.Init(m.tm, l)
	l.Reset(time.Second)
}

func (m misusers) file()       { m.tm.Pending() }
func (m misusers) expire()     { m.clock.Advance(time.Minute) }
func (m misusers) clear(i int) { *m.all[i] = loan{} }

// grow copies a loan as append does: the vet check does not see it.
func (m misusers) grow(i int) *loan {
	one := make([]loan, 1)
	m.arm(&one[0])
	m.file()
	grown := append(one, loan{})
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
		}, ofALoan},
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
			m.arm(new(loan))
			m.file()
		}, cleared},
		"the first is cleared and armed again": {func(m misusers) {
			m.file()
			m.clear(0)
			m.arm(m.all[0])
			m.file()
		}, ofALoan},
		"a copy is stopped":                  {func(m misusers) { m.grow(0).Stop(); m.file() }, ofALoan},
		"a copy is moved earlier":            {func(m misusers) { m.grow(0).Reset(0); m.file() }, ofALoan},
		"one in the queue is cleared":        {func(m misusers) { m.clear(1); m.file() }, cleared},
		"one in the queue is cleared: drain": {func(m misusers) { m.clear(2); m.expire() }, cleared},
		"one in the queue is cleared: Stop":  {func(m misusers) { m.clear(2); m.tm.Stop() }, cleared},
		"the last in the queue is cleared and armed again": {func(m misusers) {
			m.clear(0)
			m.arm(m.all[0])
			m.file()
		}, ofALoan},
		"the newest in the queue is cleared and armed again": {func(m misusers) {
			m.clear(2)
			m.arm(m.all[2])
			m.file()
		}, ofALoan},
		"one that waits for its turn is cleared": {func(m misusers) {
			m.all[0].expired = func() { m.clear(1) }
			m.expire()
		}, cleared},
		"one that waits for its turn is cleared and armed again": {func(m misusers) {
			m.all[0].expired = func() { m.clear(1); m.arm(m.all[1]); m.file() }
			m.expire()
		}, ofALoan},
	} {
		t.Run(says, func(t *testing.T) {
			timertest.LeaveFilingToTheWorker(t) // the rows say what is queued, and in which order it is filed
			defer func() { assert.Regexp(t, row.want, recover()) }()
			row.misuse(newMisusers())
		})
	}
}

// A task may arm its own Timeout again, and others of its batch that wait for their turn.
func TestAllowedUsesAreNoMisuse(t *testing.T) {
	m := newMisusers()
	m.all[0].expired = func() { m.all[0].Reset(time.Second) }
	m.all[1].expired = func() { m.all[2].Stop(); m.all[2].Reset(0); m.file() }
	m.clock.Advance(10 * time.Second)
	assert.Equal(t, []*hashedwheel.Timeout{&m.all[0].Timeout}, m.tm.Stop())
}
