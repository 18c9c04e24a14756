package series_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A Schedule of robfig/cron is a Scheduler.
var _ hashedwheel.Scheduler = interface {
	Next(time.Time) time.Time
}(schedule(nil))

func TestRecurPassesOnAPanicOfItsScheduler(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := schedule(func(time.Time) time.Time { panic("on purpose") })
		assert.PanicsWithValue(t, "on purpose", func() { tm.Recur(s, nop) })
		assert.Zero(t, tm.Pending())
	})
}

// Next takes longer than the interval between runs, and f takes longer still.
func TestRecurNeverCallsNextTwiceAtTheSameTime(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var inside, calls atomic.Int64
		slow := schedule(func(now time.Time) time.Time {
			assert.Equal(t, int64(1), inside.Add(1))
			defer inside.Add(-1)
			calls.Add(1)
			time.Sleep(3 * aPeriod)
			return now.Add(aPeriod)
		})
		s := tm.Recur(slow, func(*hashedwheel.Series) { time.Sleep(10 * aPeriod) })
		for range 20 {
			timertest.Pass(5 * aPeriod)
			s.Reset(tick) // a run, even if the Scheduler is called for another
		}
		assert.Greater(t, calls.Load(), int64(5))
		s.Stop()
		timertest.Pass(40 * aPeriod)
	})
}

// Next is a part of the run, so a run that Reset arms is skipped if it is due during Next. The series goes on or ends
// as Next says.
func TestRecurSkipsTheRunOfAResetThatIsDueDuringNext(t *testing.T) {
	for way, end := range map[string]func() time.Time{
		"returns": func() time.Time { return time.Now().Add(time.Hour) },
		"ends":    func() time.Time { return time.Time{} },
		"panics":  func() time.Time { panic("on purpose") },
		"exits":   func() time.Time { runtime.Goexit(); return time.Time{} },
	} {
		t.Run(way, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				s, log := &slowScheduler{end: end}, new(timertest.RunLog)
				s.series.Store(tm.Recur(s, noted(log)))
				timertest.Pass(time.Hour + 10*tick)
				require.Equal(t, 2, s.asked)
				assert.Equal(t, 1, log.Count())
				assert.Equal(t, way != "returns", ended(s.series.Load()))
			}, swallow)
		})
	}
}

// slowScheduler returns one hour from now. Its second call resets the series, and takes so long that the run armed by
// Reset becomes due.
type slowScheduler struct {
	asked  int
	end    func() time.Time // of that call
	series atomic.Pointer[hashedwheel.Series]
}

func (s *slowScheduler) Next(now time.Time) time.Time {
	if s.asked++; s.asked == 2 {
		s.series.Load().Reset(0)
		time.Sleep(3 * tick)
		return s.end()
	}
	return now.Add(time.Hour)
}
