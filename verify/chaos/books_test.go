package chaos

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// account is one Timeout and the outcomes of its armings: each arming that began has one. If only one member at a time
// arms the Timeout, its state shows a refusal.
type account struct {
	to     *hashedwheel.Timeout
	_      [1 << 10]byte // makes the struct large: its Timeout falls into another stripe and sample
	own    hashedwheel.Timeout
	shared bool // several members arm it: refused stays zero
	began  atomic.Int64

	ran, stopped, refused atomic.Int64
}

// outcomes returns how many armings have an outcome, including Timer.StopAll's result.
func (a *account) outcomes(returned int64) int64 {
	return a.ran.Load() + a.stopped.Load() + a.refused.Load() + returned
}

// note books the result of a call that arms.
func (a *account) note(was bool) {
	if was {
		return
	}
	a.began.Add(1)
	if !a.shared && a.to.State() == hashedwheel.Rejected {
		a.refused.Add(1)
	}
}

// balance checks the books of a life after its end.
func (l *life) balance(t *testing.T) {
	t.Helper()
	returned := make(map[*hashedwheel.Timeout]int64)
	for _, to := range l.left {
		returned[to]++
	}
	var lost, doubled, began, pending int64
	refused := l.refused.Load()
	for _, a := range l.accounts {
		n, got := a.began.Load(), a.outcomes(returned[a.to])
		delete(returned, a.to)
		if n == got+1 && errors.Is(a.to.Err(), hashedwheel.ErrStopped) {
			got++ // another call's push, which the arming relied on, was refused by Timer.StopAll: the state shows it
			a.refused.Add(1)
		}
		if a.shared && n > got {
			a.refused.Add(n - got)
			got = n
		}
		if a.to != nil && a.to.State() == hashedwheel.Pending {
			pending++
		}
		refused += a.refused.Load()
		lost += max(0, n-got)
		doubled += max(0, got-n)
		began += n
	}
	dropped := l.dropped()
	assert.LessOrEqual(t, lost, dropped, "armings without an outcome, of %d; tasks that the executor dropped", began)
	assert.Zero(t, doubled, "outcomes without an arming, or armings with two")
	assert.Zero(t, pending, "timeouts that are pending, on a stopped timer")
	assert.Zero(t, l.early.Load(), "tasks that ran early")
	assert.Zero(t, l.wrong.Load(), "timeouts that are pending after Stop, or have another deadline than was set")
	assert.Empty(t, returned, "in Timer.StopAll's result, but in no account")
	stats := l.tm.Stats()
	if !l.waits { // refusals of After are not booked
		assert.InDelta(t, refused, stats.Rejected, float64(dropped), "armings without an outcome, or refusals")
	}
	assert.Zero(t, stats.Pending)
	assert.Zero(t, l.tm.Pending())
	assert.Empty(t, l.tm.Sample(10))
	assert.GreaterOrEqual(t, stats.Expired, uint64(l.ran.Load()))
	assert.Equal(t, uint64(l.panics.Load()), stats.Panics, "calls of the panic handler")
	armings.Add(began)
	runs.Add(l.ran.Load())
}
