package series_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// bound is WithMaxPending's.
const bound = 8

// A crowd shares the places of one Timer: series, and timeouts of others. It is its timer's executor, its clock, the
// function of each series and the Scheduler of some. One of these goes wrong if the test has said so, once.
type crowd struct {
	*rand.Rand
	tm     *hashedwheel.Timer
	series []*hashedwheel.Series
	others []*hashedwheel.Timeout
	pool   timertest.HeldBack
	tasks  []func() // that it held back

	mu    sync.Mutex
	known []*hashedwheel.Timeout // guarded by mu; those of series, which the panic handler has got

	clockFails, schedulerFails atomic.Pointer[func()]
	executorFails, runFails    atomic.Pointer[func()]
	schedulerEnds              atomic.Bool
}

// fail does what the test has asked for, once.
func fail(what *atomic.Pointer[func()]) {
	if f := what.Swap(nil); f != nil {
		(*f)()
	}
}

// Now fails in a run of a series alone, since nobody survives a panic of the worker's.
func (c *crowd) Now() time.Time {
	if c.clockFails.Load() != nil && strings.Contains(string(debug.Stack()), ".(*nextRun).Run(") {
		fail(&c.clockFails)
	}
	return time.Now()
}

func (c *crowd) After(d time.Duration) <-chan time.Time { return time.After(d) }
func (c *crowd) Go(f func())                            { fail(&c.executorFails); c.pool.Go(f) }
func (c *crowd) run(*hashedwheel.Series)                { fail(&c.runFails) }
func (c *crowd) delay() time.Duration                   { return time.Duration(c.IntN(20)) * tick }

func (c *crowd) know(to *hashedwheel.Timeout, _ any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = append(c.known, to)
}

func (c *crowd) Next(now time.Time) time.Time {
	fail(&c.schedulerFails)
	if c.schedulerEnds.Swap(false) {
		return time.Time{}
	}
	return now.Add(c.delay())
}

// free arms as many timeouts as the timer takes, and returns how many that were.
func (c *crowd) free() (n int) {
	var armed []*hashedwheel.Timeout
	for range bound + 1 {
		to, err := c.tm.Schedule(time.Hour, timertest.NopTask)
		if err == nil {
			armed = append(armed, to)
		}
	}
	for _, to := range armed {
		to.Stop()
	}
	return len(armed)
}

// taken returns how many places are taken, by those who should have one.
func (c *crowd) taken() (n int) {
	for _, s := range c.series {
		if !ended(s) {
			n++
		}
	}
	for _, to := range c.others {
		if to.State() == hashedwheel.Pending {
			n++
		}
	}
	return n
}

// some returns any of all, or the zero value if there are none.
func some[T any](c *crowd, all []T) (one T, ok bool) {
	if len(all) == 0 {
		return one, false
	}
	return all[c.IntN(len(all))], true
}

// runTask runs a task that waits in the executor, in a goroutine as tasks do, with user code that may go wrong.
func (c *crowd) runTask() {
	c.tasks = append(c.tasks, c.pool.Forget()...)
	if len(c.tasks) == 0 {
		return
	}
	i := c.IntN(len(c.tasks))
	f := c.tasks[i]
	c.tasks = append(c.tasks[:i], c.tasks[i+1:]...)
	what := []*atomic.Pointer[func()]{&c.clockFails, &c.schedulerFails, &c.runFails}[c.IntN(3)]
	switch c.IntN(8) {
	case 0:
		return // the executor loses it
	case 1:
		exit := runtime.Goexit
		what.Store(&exit)
	case 2:
		panics := func() { panic("on purpose") }
		what.Store(&panics)
	case 3:
		c.schedulerEnds.Store(true)
	case 4:
		if s, ok := some(c, c.series); ok {
			stop := func() { s.Stop() }
			what.Store(&stop)
		}
	}
	go f()
	synctest.Wait()
	what.Store(nil)
	c.schedulerEnds.Store(false)
}

func (c *crowd) step() {
	s, hasSeries := some(c, c.series)
	switch c.IntN(11) {
	case 0:
		c.series = append(c.series, c.tm.Every(tick+c.delay(), c.run))
	case 1:
		c.series = append(c.series, c.tm.Recur(c, c.run))
	case 2:
		to, err := c.tm.Schedule(c.delay(), timertest.NopTask)
		if err == nil {
			c.others = append(c.others, to)
		}
	case 3:
		if hasSeries {
			wasOn := !ended(s)
			if s.Stop() != wasOn {
				panic("Stop does not report whether the series was on")
			}
		}
	case 4:
		if hasSeries {
			s.Reset(tick + c.delay())
		}
	case 5:
		c.mu.Lock()
		to, ok := some(c, c.known)
		c.mu.Unlock()
		if ok {
			to.Stop()
		}
	case 6:
		fails := func() { panic("on purpose") }
		if c.IntN(2) == 0 {
			fails = runtime.Goexit
		}
		c.executorFails.Store(&fails)
		timertest.Pass(c.delay())
		c.executorFails.Store(nil)
	case 7, 8:
		timertest.Pass(c.delay())
	default:
		c.runTask()
	}
	synctest.Wait()
}

// A series takes its place when it begins, and gives it back when it ends, in whatever way: in each moment as many
// places are taken as there are series that go on and other timeouts that are pending.
func TestSeriesTakeExactlyTheirPlaces(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			c := &crowd{Rand: rand.New(rand.NewPCG(seed, 1))}
			c.tm = timertest.New(hashedwheel.WithMaxPending(bound), hashedwheel.WithClock(c),
				hashedwheel.WithExecutor(c), hashedwheel.WithPanicHandler(c.know))
			defer c.tm.Stop()
			for i := range 400 {
				synctest.Wait()
				c.step()
				require.Equal(t, bound-c.taken(), c.free(), "seed %d, step %d", seed, i)
			}
			for _, s := range c.series {
				s.Stop()
			}
			for _, to := range c.others {
				to.Stop()
			}
			assert.Equal(t, bound, c.free(), "seed %d, all have ended", seed)
		})
	}
}

// Whoever gets the Timeout of a series, as a panic handler does, can arm it when the series has ended: it has a place
// until it has run.
func TestTimeoutOfAnEndedSeriesGivesItsPlaceBack(t *testing.T) {
	var series *hashedwheel.Timeout
	handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { series = to })
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		s := tm.Every(aPeriod, func(*hashedwheel.Series) { panic("on purpose") })
		timertest.Pass(aPeriod + tick)
		pool.Release()
		require.True(t, s.Stop())
		for range 3 {
			series.Reset(tick)
			require.NoError(t, series.Err())
			require.ErrorIs(t, tm.AfterFunc(tick, timertest.Nop).Err(), hashedwheel.ErrFull)
			timertest.Pass(2 * tick)
			require.Equal(t, 1, pool.Release())
		}
		assert.False(t, s.Stop())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(tick, timertest.Nop).State())
	}, hashedwheel.WithMaxPending(1), handler)
}
