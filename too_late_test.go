package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A goroutine arms a timeout, and loses its processor before the push. The timer is stopped; then another goroutine
// stops the timeout and arms it again: the later arming must get ErrStopped, not the earlier one.
func TestArmOnAStoppedTimerIsRefusedWhileAnotherArmingIsNotPushedYet(t *testing.T) {
	for name, arm := range map[string]func(to *Timeout) error{
		"Arm":   func(to *Timeout) error { return to.Arm(time.Hour) },
		"Reset": func(to *Timeout) error { to.Reset(time.Hour); return to.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			tm := MustNew(WithMaxPending(2))
			to := new(Timeout).InitFunc(tm, func() {})
			deadline := tm.deadlineIn(time.Hour)
			assert.True(t, tm.quota.acquire(bounded))
			push, ok := to.begin(to.load(), deadline)
			assert.True(t, push && ok)

			assert.Empty(t, tm.StopAll())
			assert.True(t, to.Stop())
			assert.Equal(t, ErrStopped, arm(to))
			assert.Equal(t, Rejected, to.State())

			assert.NoError(t, tm.push(to, deadline), "its arming was canceled")
			assert.Equal(t, ErrStopped, to.Err())
			assert.Zero(t, tm.quota.taken.Load())
			assert.EqualValues(t, 1, tm.Stats().Rejected)
		})
	}
}
