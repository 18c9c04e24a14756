package promises

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

const third = time.Second / 3 // no whole number of milliseconds

// Each does the same with a Timer and with the time package. At every third of a second it is as far.
var inBubbles = map[string]struct {
	ours func(tm *hashedwheel.Timer, f func())
	std  func(f func())
}{
	"a thousand timeouts": {
		func(tm *hashedwheel.Timer, f func()) {
			for range 1000 {
				tm.AfterFunc(third, f)
			}
		},
		func(f func()) {
			for range 1000 {
				time.AfterFunc(third, f)
			}
		},
	},
	"delays in any order": {
		func(tm *hashedwheel.Timer, f func()) {
			for _, d := range delaysInAnyOrder {
				tm.AfterFunc(d, f)
			}
		},
		func(f func()) {
			for _, d := range delaysInAnyOrder {
				time.AfterFunc(d, f)
			}
		},
	},
	"Reset, to earlier and to later": {
		func(tm *hashedwheel.Timer, f func()) {
			earlier, later := tm.AfterFunc(time.Hour, f), tm.AfterFunc(third, f)
			time.Sleep(third / 7)
			earlier.Reset(third)
			later.Move(2*third + 1)
		},
		func(f func()) {
			earlier, later := time.AfterFunc(time.Hour, f), time.AfterFunc(third, f)
			time.Sleep(third / 7)
			earlier.Reset(third)
			later.Reset(2*third + 1)
		},
	},
	"a task that arms itself": {
		func(tm *hashedwheel.Timer, f func()) {
			tm.AfterFunc(third, func() { f(); tm.AfterFunc(third/5, f) })
		},
		func(f func()) { time.AfterFunc(third, func() { f(); time.AfterFunc(third/5, f) }) },
	},
	"After": {
		func(tm *hashedwheel.Timer, f func()) { <-tm.After(third); f(); <-tm.After(1); f() },
		func(f func()) { <-time.After(third); f(); <-time.After(1); f() },
	},
	"Every": {
		func(tm *hashedwheel.Timer, f func()) { tm.Every(third, func(*hashedwheel.Series) { f() }) },
		func(f func()) {
			ticks := time.Tick(third)
			for range 9 {
				<-ticks
				f()
			}
		},
	},
	"wheeltime": {
		func(tm *hashedwheel.Timer, f func()) {
			wheeltime.AfterFunc(tm, 3*third/2, f)
			<-wheeltime.NewTimer(tm, third/2).C
			ticker := wheeltime.NewTicker(tm, third)
			for range 8 {
				<-ticker.C
				f()
			}
		},
		func(f func()) {
			time.AfterFunc(3*third/2, f)
			<-time.NewTimer(third / 2).C
			ticker := time.NewTicker(third)
			for range 8 {
				<-ticker.C
				f()
			}
		},
	},
}

var delaysInAnyOrder = func() (delays []time.Duration) {
	rnd := rand.New(rand.NewPCG(6, 6))
	for range 1000 {
		delays = append(delays, time.Duration(rnd.Int64N(int64(2*time.Second))))
	}
	return delays
}()

func TestTimesInABubbleAreThoseOfTheTimePackage(t *testing.T) {
	for name, do := range inBubbles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := hashedwheel.MustNew()
				defer tm.StopAll()
				var ours, std timertest.RunLog
				go do.ours(tm, ours.Note)
				go do.std(std.Note)
				for range 9 {
					timertest.Pass(third)
					assert.Equal(t, std.Times(), ours.Times())
				}
				assert.NotEmpty(t, ours.Times())
				assert.Zero(t, tm.Stats().LatenessSum)
			})
		})
	}
}

func TestTickInABubbleIsANanosecondByDefault(t *testing.T) {
	assert.Equal(t, time.Millisecond, hashedwheel.MustNew().Tick())
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, time.Duration(1), hashedwheel.MustNew().Tick())
		assert.Equal(t, time.Hour, hashedwheel.MustNew(hashedwheel.WithTick(time.Hour)).Tick())
		manual := hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now()))
		assert.Equal(t, time.Millisecond, hashedwheel.MustNew(manual).Tick())
	})
}

// All due tasks have run when Advance returns: Inline is the default on a ManualClock.
func TestAdvanceRunsTheTasks(t *testing.T) {
	clock, ran, runs := hashedwheel.NewManualClock(timertest.Epoch), 0, 0
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.StopAll()
	for range 1000 {
		tm.AfterFunc(third, func() { ran++ })
	}
	clock.Advance(third)
	assert.Equal(t, 1000, ran)
	tm.Every(time.Second, func(*hashedwheel.Series) { runs++ })
	clock.Advance(100 * time.Second)
	assert.Equal(t, 100, runs)
}

func TestAdvanceEndsBesideAPortionThatIsNotDueYet(t *testing.T) {
	clock, tm := timertest.NewManual()
	for range limits.Portion {
		tm.AfterFunc(5*time.Millisecond, timertest.Nop)
	}
	timertest.Returns(t, func() { clock.Advance(time.Millisecond) })
	assert.Equal(t, limits.Portion, tm.Pending())
}

// A Reset happens before the run that it causes, also if the deadline stays the same, as in a bubble, where time stands
// still. Otherwise the race detector reports x.
func TestResetToTheSameDeadlineHappensBeforeTheRun(t *testing.T) {
	for name, again := range map[string]func(to *hashedwheel.Timeout, at time.Time){
		"Reset":   func(to *hashedwheel.Timeout, _ time.Time) { to.Reset(third) },
		"ResetAt": func(to *hashedwheel.Timeout, at time.Time) { to.ResetAt(at) },
		"Arm":     func(to *hashedwheel.Timeout, _ time.Time) { _ = to.Arm(third) },
		"ArmAt":   func(to *hashedwheel.Timeout, at time.Time) { _ = to.ArmAt(at) },
		"Move":    func(to *hashedwheel.Timeout, _ time.Time) { to.Move(third) },
		"MoveAt":  func(to *hashedwheel.Timeout, at time.Time) { to.MoveAt(at) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm, x, seen := hashedwheel.MustNew(), 1, 0
				to := tm.AfterFunc(third, func() { seen = x })
				tm.Pending() // files it
				x = 2
				again(to, time.Now().Add(third))
				timertest.Pass(third)
				assert.Equal(t, 2, seen)
			})
		})
	}
}
