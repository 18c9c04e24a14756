package promises

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Once Release has returned, the struct may be cleared and bound again, whatever had become of its Timeout.
func TestReleaseInEveryState(t *testing.T) {
	for name, c := range map[string]struct {
		before   func(clock *hashedwheel.ManualClock, l *lease)
		want     hashedwheel.State
		canceled bool
	}{
		"not armed": {func(*hashedwheel.ManualClock, *lease) {}, hashedwheel.Unarmed, false},
		"queued": {func(_ *hashedwheel.ManualClock, l *lease) { l.to.Reset(time.Minute) },
			hashedwheel.Canceled, true},
		"filed": {func(clock *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			clock.Advance(time.Second)
		}, hashedwheel.Canceled, true},
		"filed and queued": {func(clock *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Hour)
			clock.Advance(time.Second)
			l.to.Reset(time.Minute)
		}, hashedwheel.Canceled, true},
		"moved later": {func(clock *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			clock.Advance(time.Second)
			l.to.Move(time.Hour)
		}, hashedwheel.Canceled, true},
		"expired": {func(clock *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			clock.Advance(time.Minute)
			l.runs = 0
		}, hashedwheel.Expired, false},
		"stopped in the queue": {func(_ *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			l.to.Stop()
		}, hashedwheel.Canceled, false},
		"stopped in the wheel": {func(clock *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			clock.Advance(time.Second)
			l.to.Stop()
		}, hashedwheel.Canceled, false},
		"released": {func(_ *hashedwheel.ManualClock, l *lease) {
			l.to.Reset(time.Minute)
			l.to.Release()
		}, hashedwheel.Canceled, false},
		"refused, and stopped in the queue before": {func(_ *hashedwheel.ManualClock, l *lease) {
			tm := l.to.Timer()
			l.to.Reset(time.Minute)
			l.to.Stop()
			other := tm.AfterFunc(time.Minute, timertest.Nop)
			_ = l.to.Arm(time.Minute)
			other.Release()
		}, hashedwheel.Rejected, false},
	} {
		t.Run(name, func(t *testing.T) {
			clock, tm := timertest.NewManual(hashedwheel.WithMaxPending(1))
			l := new(lease)
			l.to.Init(tm, l)
			c.before(clock, l)
			assert.Equal(t, c.canceled, l.to.Release())
			assert.Equal(t, c.want, l.to.State())
			*l = lease{}
			assert.False(t, l.to.Release(), "the zero Timeout")
			assert.Zero(t, tm.Pending())
			for range 2 {
				l.to.Init(tm, l)
				require.NoError(t, l.to.Arm(time.Minute), "the permit is returned")
				require.ErrorIs(t, new(hashedwheel.Timeout).Init(tm, l).Arm(0), hashedwheel.ErrFull, "once")
				clock.Advance(3 * time.Hour)
				assert.Equal(t, 1, l.runs)
				*l = lease{}
			}
			assert.Empty(t, tm.StopAll())
		})
	}
}

// The first of a hundred tasks that are due in one tick releases and clears the others, and arms them again.
func TestReleaseOfDueTimeoutsInATask(t *testing.T) {
	clock, tm := timertest.NewManual()
	all, cleared := make([]lease, 100), false
	for i := range all {
		all[i].to.InitFunc(tm, func() {
			require.False(t, cleared, "only the first")
			cleared = true
			for j := range all {
				assert.Equal(t, i != j, all[j].to.Release())
				all[j] = lease{}
				all[j].arm(tm, time.Hour)
			}
		}).Reset(time.Minute)
	}
	clock.Advance(time.Minute)
	assert.Equal(t, len(all), tm.Pending())
	clock.Advance(time.Hour)
	for i := range all {
		assert.Equal(t, 1, all[i].runs)
	}
}

// fleeting clears itself in its task.
type fleeting struct {
	to  hashedwheel.Timeout
	ran *atomic.Int64
}

func (f *fleeting) Run(*hashedwheel.Timeout) {
	ran := f.ran
	*f = fleeting{}
	ran.Add(1)
}

// A task that has begun may clear its struct, although the call that armed it has not returned: that call reads nothing
// of it any more that the race detector sees.
func TestReleaseIsNotNeededByATask(t *testing.T) {
	const callers, calls = 4, 5000
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int64
			var armed sync.WaitGroup
			tm := timertest.New(opts...)
			for range callers {
				armed.Go(func() {
					for range calls {
						f := &fleeting{ran: &ran}
						f.to.Init(tm, f).Reset(0)
					}
				})
			}
			armed.Wait()
			all := func() bool { return ran.Load() == callers*calls }
			assert.Eventually(t, all, 20*time.Second, timertest.Tick)
			assert.Empty(t, timertest.Shutdown(t, tm))
		})
	}
}

// storm is goroutines that arm, move, stop, release and clear structs from a pool.
type storm struct {
	tm   *hashedwheel.Timer
	pool sync.Pool
	out  sync.WaitGroup // structs that are not in the pool

	armed, canceled, refused, ran atomic.Int64 // armings, and their outcomes
}

// pooled is such a struct. Who has it clears it and puts it back: the goroutine that armed it, or its task.
type pooled struct {
	to    hashedwheel.Timeout
	storm *storm
	begun chan struct{}   // closed by the task
	given <-chan struct{} // closed once the goroutine has given the struct to the task; nil: it keeps the struct
}

func (p *pooled) Run(*hashedwheel.Timeout) {
	given := p.given
	p.storm.ran.Add(1)
	close(p.begun)
	if given != nil {
		<-given
		p.free()
	}
}

func (p *pooled) free() {
	s := p.storm
	p.to.Release()
	*p = pooled{}
	s.pool.Put(p)
	s.out.Done()
}

// use takes a struct, arms it, and puts it back, or leaves that to its task.
func (s *storm) use(gives bool) {
	s.out.Add(1)
	p, _ := s.pool.Get().(*pooled)
	if p == nil {
		p = new(pooled)
	}
	p.storm, p.begun = s, make(chan struct{})
	delay := func() time.Duration {
		return rand.N([]time.Duration{1, timertest.Tick, time.Hour}[rand.IntN(3)])
	}
	s.armed.Add(1)
	if gives && rand.IntN(4) == 0 {
		given, begun := make(chan struct{}), p.begun
		p.given = given
		p.to.Init(s.tm, p).Reset(timertest.Tick)
		close(given)
		if rand.IntN(100) == 0 {
			<-begun // the storm must not outrun a ManualClock, which visits all timeouts of a tick for each of them
		}
		return
	}
	if p.to.Init(s.tm, p).Arm(delay()) == nil {
		for range rand.IntN(3) {
			p.to.Move(delay())
		}
		if rand.IntN(3) == 0 {
			time.Sleep(rand.N(timertest.Tick))
		}
		if rand.IntN(3) == 0 && p.to.Stop() {
			s.canceled.Add(1)
		}
	}
	if p.to.Release() {
		s.canceled.Add(1)
	} else if p.to.State() == hashedwheel.Expired {
		<-p.begun
	} else if p.to.Err() != nil {
		s.refused.Add(1)
	}
	p.free()
}

// begin starts goroutines, which go on until again reports false, and others that look at the Timer meanwhile.
func (s *storm) begin(gives bool, again func() bool) (wait func()) {
	var users, lookers sync.WaitGroup
	var over atomic.Bool
	for range 8 {
		users.Go(func() {
			for again() {
				s.use(gives)
			}
		})
	}
	for _, look := range []func(){
		func() { s.tm.Pending() }, func() { s.tm.Sample(10) }, func() { s.tm.NextDue() }, func() { s.tm.Stats() },
	} {
		lookers.Go(func() {
			for !over.Load() {
				look()
				time.Sleep(timertest.Tick / 2)
			}
		})
	}
	return func() {
		users.Wait()
		s.out.Wait()
		over.Store(true)
		lookers.Wait()
	}
}

// Each arming has its outcome, and each permit is returned, on every executor and on a ManualClock.
func TestReleaseInAStorm(t *testing.T) {
	const bound = 16
	clock := hashedwheel.NewManualClock(time.Now())
	kinds := maps.Clone(timertest.EachExecutor)
	kinds["manual"] = []hashedwheel.Option{hashedwheel.WithClock(clock)}
	for name, opts := range kinds {
		t.Run(name, func(t *testing.T) {
			s := &storm{tm: timertest.New(append(opts, hashedwheel.WithMaxPending(bound))...)}
			end := time.Now().Add(timertest.Lasting(2 * time.Second))
			var ended atomic.Bool
			var advancing sync.WaitGroup
			advancing.Go(func() {
				for name == "manual" && !ended.Load() {
					clock.Advance(timertest.Tick / 3)
				}
			})
			timertest.Returns(t, s.begin(true, func() bool { return time.Now().Before(end) }))
			ended.Store(true)
			advancing.Wait()
			assert.Equal(t, s.armed.Load(), s.canceled.Load()+s.refused.Load()+s.ran.Load())
			for _, n := range []*atomic.Int64{&s.canceled, &s.refused, &s.ran} {
				assert.True(t, n.Load() > 0 || runtime.GOMAXPROCS(0) == 1, "one processor may run one of them only")
			}
			assert.Zero(t, s.tm.Pending())
			for range bound {
				_, err := s.tm.Schedule(time.Hour, timertest.NopTask)
				require.NoError(t, err)
			}
			_, err := s.tm.Schedule(time.Hour, timertest.NopTask)
			require.ErrorIs(t, err, hashedwheel.ErrFull)
			assert.Len(t, timertest.Shutdown(t, s.tm), bound)
		})
	}
}

// A Timeout is in StopAll's result, or its Release has canceled it, and StopAll reads nothing of a released one.
func TestReleaseBesideStopAll(t *testing.T) {
	for round := range timertest.Lasting(150) {
		s := &storm{tm: timertest.New()}
		var uses atomic.Int64
		wait := s.begin(false, func() bool { return uses.Add(1) < 400 })
		for uses.Load() < 100+int64(round)%100 {
			runtime.Gosched()
		}
		var left [2]int
		race(func() { left[0] = len(s.tm.StopAll()) }, func() { left[1] = len(s.tm.StopAll()) })
		timertest.Returns(t, wait)
		ended := s.canceled.Load() + s.refused.Load() + s.ran.Load() + int64(left[0]+left[1])
		require.Equal(t, s.armed.Load(), ended)
	}
}
