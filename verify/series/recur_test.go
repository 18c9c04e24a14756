package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A Schedule of robfig/cron is a Scheduler.
var _ hashedwheel.Scheduler = interface {
	Next(time.Time) time.Time
}(schedule(nil))

func TestRecurCallsNextForEachRun(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		at := func(n int) time.Time { return start.Add(time.Duration(n) * aPeriod) }
		a := &agenda{times: []time.Time{at(1), at(5), at(6), at(100)}}
		s := tm.Recur(a, noted(log))
		assert.Equal(t, at(1), s.Next())
		timertest.Pass(200 * aPeriod)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), 1, 5, 6, 100)
		want := append([]time.Time{start}, log.Times()...)
		assert.Equal(t, want, a.asked, "once at the beginning, and before each run")
	})
}

func TestRecurEndsWhenNextReturnsTheZeroTime(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		twice := &agenda{times: []time.Time{start.Add(aPeriod), start.Add(2 * aPeriod)}}
		s := tm.Recur(twice, func(s *hashedwheel.Series) {
			if log.Note(); log.Count() == 2 {
				assert.False(t, s.Stop(), "it has ended, this is the last run")
				assert.True(t, ended(s))
			}
		})
		timertest.Pass(20 * aPeriod)
		assert.Equal(t, 2, log.Count())
		assert.True(t, ended(s))
		assert.False(t, s.Stop())
		assert.NoError(t, s.Err())
		assert.Zero(t, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}

func TestRecurDoesNotBeginIfNextReturnsTheZeroTime(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log := new(timertest.RunLog)
		s := tm.Recur(new(agenda), noted(log))
		assert.True(t, ended(s))
		assert.False(t, s.Stop())
		timertest.Pass(time.Hour)
		assert.Zero(t, log.Count())
		assert.False(t, s.Reset(tick), "but Reset runs it once")
		timertest.Pass(time.Hour)
		assert.Equal(t, 1, log.Count())
		assert.True(t, ended(s))
	})
}

func TestRecurRunsOnceATickForTimesInThePast(t *testing.T) {
	for name, next := range map[string]schedule{
		"now":            func(now time.Time) time.Time { return now },
		"a while ago":    func(now time.Time) time.Time { return now.Add(-time.Hour) },
		"long ago":       func(time.Time) time.Time { return time.Unix(0, 0) },
		"out of reach":   func(time.Time) time.Time { return time.Time{}.Add(1) },
		"one of its own": func(now time.Time) time.Time { return now.Round(0).Add(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(timertest.RunLog)
				s := tm.Recur(next, noted(log))
				other := tm.AfterFunc(50*tick, timertest.Nop)
				timertest.Pass(100*tick + tick/2)
				assert.InDelta(t, 100, log.Count(), 1)
				assert.Equal(t, hashedwheel.Expired, other.State(), "others have their turn")
				assert.True(t, s.Stop())
			}, timertest.OnWorker)
		})
	}
}

// A calendar has the time of day and no more.
func TestRecurFollowsACalendar(t *testing.T) {
	onTheHour := schedule(func(now time.Time) time.Time {
		return now.Round(0).Truncate(time.Hour).Add(time.Hour).In(time.FixedZone("elsewhere", 5*3600+1800))
	})
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		timertest.Pass(17*time.Minute + 3)
		log, start := new(timertest.RunLog), time.Now().Round(0).Truncate(time.Hour)
		tm.Recur(onTheHour, noted(log))
		timertest.Pass(24 * time.Hour)
		timertest.AssertOnGrid(t, start, time.Hour, late, log.Times(), timertest.UpTo(24)...)
	})
}

// Each run takes as long as two and a half others: those are left out, and the
// Scheduler is asked for each time that it gave, once.
func TestRecurCallsNextOnceForEachRunThatALongRunCovers(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, asked, start := new(timertest.RunLog), new(timertest.RunLog), time.Now()
		s := tm.Recur(schedule(func(now time.Time) time.Time {
			asked.Note()
			return start.Add((now.Sub(start)/(10*tick) + 1) * 10 * tick)
		}), func(*hashedwheel.Series) {
			log.Note()
			time.Sleep(25 * tick)
		})
		timertest.Pass(68 * tick)
		timertest.AssertOnGrid(t, start, tick, 0, log.Times(), 10, 40)
		timertest.AssertOnGrid(t, start, tick, 0, asked.Times(), 0, 10, 20, 30, 40, 50, 60)
		s.Stop()
		timertest.Pass(25 * tick)
	})
}
