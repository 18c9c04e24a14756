package chaos

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// atTimes is a Scheduler that sometimes ends the series, panics or ends the goroutine.
type atTimes struct{ l *life }

func (s atTimes) Next(now time.Time) time.Time {
	switch rand.IntN(100) {
	case 0:
		return time.Time{}
	case 1:
		runtime.Goexit()
	}
	return now.Add(time.Duration(rand.Int64N(int64(10 * s.l.tick))))
}

// seriesUser begins, resets and stops series. No two runs of one overlap, and none begins after Stop has
// returned true: only one run, which had begun, may be on its way to the function then.
func (l *life) seriesUser() func() {
	type member struct {
		*hashedwheel.Series
		running, ended atomic.Bool
		onItsWay       atomic.Int64
	}
	all := make([]*member, 8)
	return func() {
		i := rand.IntN(len(all))
		m := all[i]
		if m != nil && m.Series != nil && rand.IntN(4) > 0 {
			switch rand.IntN(3) {
			case 0:
				if m.Stop() {
					m.ended.Store(true)
					all[i] = nil
				}
			case 1:
				m.Reset(time.Duration(1 + rand.Int64N(int64(10*l.tick))))
			default:
				m.Next()
				_ = m.Err()
			}
			return
		}
		m = new(member)
		run := func(*hashedwheel.Series) {
			if m.ended.Load() && m.onItsWay.Add(1) > 1 || !m.running.CompareAndSwap(false, true) {
				l.afterStop.Add(1)
			}
			defer m.running.Store(false)
			switch n := rand.IntN(50); {
			case n == 0:
				panic(mishap{"task"})
			case n == 1:
				runtime.Goexit()
			case n < 4:
				time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			}
		}
		if rand.IntN(2) == 0 {
			m.Series = l.tm.Every(time.Duration(1+rand.Int64N(int64(10*l.tick))), run)
		} else {
			m.Series = l.tm.Recur(atTimes{l}, run)
		}
		all[i] = m
		l.note(m.Series)
	}
}

// note keeps s for stopSeries, if the life dries.
func (l *life) note(s *hashedwheel.Series) {
	if l.dries {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.series = append(l.series, s)
	}
}

// stopSeries has all series give back their places.
func (l *life) stopSeries() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.series {
		s.Stop()
	}
}

// waiter waits for channels of After: each is closed, and none too early unless the timer stops.
func (l *life) waiter() func() {
	return func() {
		d := time.Duration(rand.Int64N(int64(10 * l.tick)))
		at := l.tm.Now().Add(d)
		done := l.tm.After(d)
		<-done
		if !l.stopping.Load() && !l.hasShown(at) {
			l.early.Add(1)
		}
	}
}
