package keyed_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A key is touched until it expires and another timeout takes its room, or the timer is stopped: then the
// timer refuses to move it, perhaps in a Touch that began while the key was pending.
func TestDeadlineOfAKeyStaysThoughItIsPendingWhenARefusedTouchBegins(t *testing.T) {
	for name, end := range map[string]func(tm *hashedwheel.Timer, clock *hashedwheel.ManualClock){
		"and it expires":           func(_ *hashedwheel.Timer, clock *hashedwheel.ManualClock) { clock.Advance(tick) },
		"and the timer is stopped": func(tm *hashedwheel.Timer, _ *hashedwheel.ManualClock) { tm.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			for range 1000 {
				var tm *hashedwheel.Timer
				robber := hashedwheel.ExecutorFunc(func(func()) { tm.AfterFunc(time.Hour, func() {}) })
				clock, tm := timertest.NewManual(hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(robber))
				m := keyed.New(tm, func(int, int) {})
				require.NoError(t, m.Set(1, 1, tick))
				deadline := tm.Now().Add(tick)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					end(tm, clock)
				}()
				for i, moved := 1, true; moved && !timertest.IsClosed(ended); i++ {
					_, moved = m.Touch(1, deadline.Add(-1).Sub(tm.Now())) // each to another time
					if moved {
						deadline, _ = m.Deadline(1)
					}
					if i%100 == 0 {
						runtime.Gosched() // there may be one processor
					}
				}
				at, there := m.Deadline(1)
				require.True(t, there)
				require.Equal(t, deadline, at)
				<-ended
				tm.Stop()
			}
		})
	}
}
