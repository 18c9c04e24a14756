package series_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// book is a series that keeps books on itself.
type book struct {
	*hashedwheel.Series
	running, asking, overlaps, runs atomic.Int64
	begun, stopped                  atomic.Int64 // by Every, Recur and Reset; by Stop
	closed                          *closed
}

// closed ends all poking before the timer does: a Reset that is refused is no beginning.
type closed struct {
	mu sync.RWMutex // read-locked while somebody pokes
	is bool         // guarded by mu
}

func newBook(tm *hashedwheel.Timer, ofRecur bool, c *closed) *book {
	b := &book{closed: c}
	b.begun.Store(1)
	if ofRecur {
		b.Series = tm.Recur(b, b.run)
	} else {
		b.Series = tm.Every(1+rand.N(3*time.Millisecond), b.run)
	}
	return b
}

// Next is that of a Scheduler.
func (b *book) Next(now time.Time) time.Time {
	defer b.asking.Add(-1)
	if b.asking.Add(1) > 1 {
		b.overlaps.Add(1)
	}
	if rand.IntN(4) == 0 {
		time.Sleep(rand.N(300 * time.Microsecond))
	}
	return now.Add(rand.N(3 * time.Millisecond))
}

func (b *book) run(s *hashedwheel.Series) {
	defer b.running.Add(-1)
	if b.running.Add(1) > 1 {
		b.overlaps.Add(1)
	}
	b.runs.Add(1)
	if rand.IntN(4) == 0 {
		b.poke(s)
	}
	time.Sleep(rand.N(300 * time.Microsecond))
}

// poke does one of the things that may be done to a series.
func (b *book) poke(s *hashedwheel.Series) {
	b.closed.mu.RLock()
	defer b.closed.mu.RUnlock()
	if b.closed.is {
		return
	}
	switch rand.IntN(8) {
	case 0:
		if s.Stop() {
			b.stopped.Add(1)
		}
	case 1:
		s.Next()
	case 2:
		_ = s.Err()
	case 3:
		time.Sleep(50 * time.Microsecond)
	default:
		if !s.Reset(1 + rand.N(time.Millisecond)) {
			b.begun.Add(1)
		}
	}
}

// on returns 1 if the series is on by its books, and 0 if it has ended.
func (b *book) on() int64 { return b.begun.Load() - b.stopped.Load() }

func TestSeriesUnderFireKeepTheirBooks(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(append(opts, hashedwheel.WithTick(100*time.Microsecond))...)
			all, c := make([]*book, 20), new(closed)
			for i := range all {
				all[i] = newBook(tm, i%2 == 0, c)
			}
			pokeAll(all, timertest.Lasting(time.Second))
			c.mu.Lock()
			c.is = true
			c.mu.Unlock()
			left := timertest.Shutdown(t, tm)
			runs, on, refused := int64(0), int64(0), int64(0)
			for _, b := range all {
				runs += b.runs.Load()
				assert.Zero(t, b.overlaps.Load())
				assert.Zero(t, b.running.Load(), "Shutdown waited")
				assert.Contains(t, []int64{0, 1}, b.on(), "one Stop for each beginning")
				assert.True(t, ended(b.Series))
				on += b.on()
				if b.Err() != nil {
					assert.ErrorIs(t, b.Err(), hashedwheel.ErrStopped)
					refused++
				}
			}
			assert.Greater(t, runs, int64(len(all)))
			assert.Equal(t, on, int64(len(left))+refused, "each that was on is with Stop, or was refused its next run")
		})
	}
}

// pokeAll lets goroutines poke, and waits for them. On a machine that is held up they go on until there
// have been more runs than series.
func pokeAll(all []*book, lasting time.Duration) {
	until := time.Now().Add(lasting)
	isEnough := func() bool {
		runs := 0
		for _, b := range all {
			runs += int(b.runs.Load())
		}
		return runs > len(all) || time.Since(until) > 20*time.Second
	}
	var pokers sync.WaitGroup
	for range 4 {
		pokers.Go(func() {
			for time.Now().Before(until) || !isEnough() {
				b := all[rand.IntN(len(all))]
				b.poke(b.Series)
				time.Sleep(rand.N(100 * time.Microsecond)) // else all are moved before they run
			}
		})
	}
	pokers.Wait()
}
