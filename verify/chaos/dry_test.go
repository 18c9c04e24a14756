package chaos

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// runDry lets no member arm anything more: all timeouts that are due soon end by themselves, no call drains in the
// worker's place, and the bound admits exactly as many as before.
func (l *life) runDry(t *testing.T) {
	l.quit.Store(true)
	returns(t, l.members.Wait)
	until(t, func() bool { return l.tasks.Load() == 0 })
	until(t, func() bool { return l.stopFar() == 0 })
	far := l.tm.AfterFunc(time.Hour, timertest.Nop)
	for i := range 10 { // first with a waker set in between, then without
		if i == 5 {
			far.Stop()
		}
		time.Sleep(time.Duration(rand.Int64N(int64(4 * l.tick))))
		to := l.tm.AfterFunc(l.tick, timertest.Nop)
		until(t, func() bool { return to.State() != hashedwheel.Pending })
	}
	until(t, func() bool { return l.tm.Pending() == 0 })
	for range l.bound {
		a := new(account)
		a.began.Store(1)
		arm := func() bool { a.to, _ = l.schedule(time.Hour, timertest.NopTask); return a.to != nil }
		until(t, arm) // an expiry returns its permit a moment after the state shows it
		l.keep(a)
	}
	if l.bound > 0 {
		_, err := l.schedule(time.Hour, timertest.NopTask)
		assert.ErrorIs(t, err, hashedwheel.ErrFull, "%d are pending, as many as may be", l.bound)
	}
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	returns(t, func() {
		for !is() {
			time.Sleep(100 * time.Microsecond)
		}
	})
}

// stopFar stops all timeouts that are not due soon, and returns how many others are pending.
func (l *life) stopFar() (pending int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.accounts {
		switch {
		case a.to == nil || a.to.State() != hashedwheel.Pending:
		case time.Until(a.to.Deadline()) > 50*time.Millisecond:
			l.stop(a)
		default:
			pending++
		}
	}
	return pending
}
