package promises

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/invariants"
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
