package promises

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/invariants"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A task that deletes itself from its slice moves the timeouts behind it in memory: one would be
// handed out twice, another never.
func TestMisuseInABatchIsCaught(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	all := make([]hashedwheel.Timeout, 10)
	runs := 0
	for i := range all {
		all[i].InitFunc(tm, func() {
			if runs++; runs == 1 {
				all = slices.Delete(all, 3, 4)
			}
		})
		all[i].Reset(tm.Tick())
	}
	defer func() {
		said := recover()
		assert.NotNil(t, said)
		if !invariants.Enabled { // with them the wheel finds it at its next step, and its own message comes first
			assert.Contains(t, said, "was copied or overwritten after it was armed")
		}
	}()
	clock.Advance(2 * tm.Tick())
}

// slices.Delete also clears the last place of the slice. With append the last two places hold the same pending
// timeout, and only its pointer to itself shows that the first of them is a copy.
func TestMisuseInABatchIsCaughtBeforeATimeoutRunsTwice(t *testing.T) {
	clock, tm := timertest.NewManual(timertest.Inline)
	all := make([]hashedwheel.Timeout, min(10, limits.Batch))
	runs := make([]int, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		all[i].InitFunc(tm, func() {
			runs[i]++
			if i == 0 {
				all = append(all[:1], all[2:]...)
			}
		})
		all[i].Reset(tm.Tick())
		tm.Pending() // files the timeout: the first of the slice is filed last, and runs first
	}
	defer func() {
		assert.Contains(t, recover(), "was copied or overwritten after it was armed")
		assert.Equal(t, 1, runs[0])
		assert.LessOrEqual(t, slices.Max(runs), 1)
	}()
	clock.Advance(2 * tm.Tick())
}

// A Timeout that was saved and restored does not know which lists it is in by now. Not every such misuse is
// found, but none may end in another panic, such as a nil dereference.
func TestMisuseBySaveAndRestorePanicsWithNoOtherMessage(t *testing.T) {
	for name, between := range map[string]func(clock *hashedwheel.ManualClock, tm *hashedwheel.Timer, to *hashedwheel.Timeout){
		"saved before it was armed": func(_ *hashedwheel.ManualClock, tm *hashedwheel.Timer, to *hashedwheel.Timeout) {},
		"saved while queued": func(_ *hashedwheel.ManualClock, tm *hashedwheel.Timer, to *hashedwheel.Timeout) {
			to.Reset(tm.Tick())
		},
		"saved while filed, moved": func(_ *hashedwheel.ManualClock, tm *hashedwheel.Timer, to *hashedwheel.Timeout) {
			to.Reset(9 * tm.Tick())
			tm.Pending()
		},
		"saved while filed, far, stopped": func(_ *hashedwheel.ManualClock, tm *hashedwheel.Timer, to *hashedwheel.Timeout) {
			to.Reset(time.Hour)
			tm.Pending()
			to.Stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
			to := timertest.Owned(tm, timertest.NopTask)
			between(clock, tm, to)
			var saved hashedwheel.Timeout
			overwrite(&saved, to)
			to.Reset(5 * tm.Tick())
			tm.Pending()
			overwrite(to, &saved)
			var said any
			func() {
				defer func() { said = recover() }()
				to.Reset(3 * tm.Tick())
				clock.Advance(10 * tm.Tick())
				tm.Stop()
			}()
			if said != nil && !invariants.Enabled { // with them the wheel finds it at its next step
				assert.Contains(t, said, "was copied or overwritten after it was armed")
			}
		})
	}
}
