package recipes_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// In a testing/synctest bubble, time passes as soon as all goroutines wait: an hour takes no time.
func TestLatenessInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew() // in the bubble
		defer tm.Stop()             // before the bubble ends

		start := time.Now()
		<-tm.After(time.Hour)
		if late := time.Since(start) - time.Hour; late < 0 || late > tm.Tick() {
			t.Errorf("late by %v", late)
		}
	})
}
