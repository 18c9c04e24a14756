package hashedwheel

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stepWall has tm see a wall clock that was set by d after New: it changes the seconds of the wall clock in the start
// of tm's timeline, and not its monotonic reading (see the type time.Time).
func stepWall(t *testing.T, tm *Timer, d time.Duration) {
	before := tm.time.start
	*(*uint64)(unsafe.Pointer(&tm.time.start)) -= uint64(d/time.Second) << 30
	assert.Equal(t, d, before.Round(0).Sub(tm.time.start.Round(0)))
	assert.Zero(t, before.Sub(tm.time.start), "the monotonic reading")
}

// in30s is a Scheduler that knows only the wall clock.
type in30s struct{}

func (in30s) Next(now time.Time) time.Time { return now.Round(0).Add(30 * time.Second) }

// Times that a Timer hands out are right by both clocks: by the wall clock as it is now, and by the monotonic clock.
func TestTimesAreRightAfterTheWallClockWasSet(t *testing.T) {
	for _, step := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		tm := MustNew()
		defer tm.StopAll()
		to := tm.AfterFunc(30*time.Second, func() {})
		series := tm.Every(30*time.Second, func(*Series) {})
		stepWall(t, tm, step)
		later := tm.AfterFunc(30*time.Second, func() {})
		at := new(Timeout).InitFunc(tm, func() {})
		at.ResetAt(time.Now().Add(30 * time.Second))
		recurring := tm.Recur(in30s{}, func(*Series) {})
		fromFile := tm.EveryFrom(time.Now().Round(0).Add(30*time.Second), time.Hour, func(*Series) {})
		want := time.Now().Add(30 * time.Second)
		due, _ := tm.NextDue()
		sampled := tm.Sample(1)[0].Deadline
		for name, got := range map[string]time.Time{
			"Now":                             tm.Now().Add(30 * time.Second),
			"Deadline, armed before the step": to.Deadline(),
			"Deadline, armed after it":        later.Deadline(),
			"Deadline, armed by ResetAt":      at.Deadline(),
			"NextDue":                         due,
			"Sample":                          sampled,
			"Next of Every":                   series.Next(),
			"Next of EveryFrom":               fromFile.Next(),
			"Next of Recur":                   recurring.Next(),
		} {
			const most = 100 * time.Millisecond // the machine may be busy between two calls
			assert.WithinDuration(t, want, got, most, "%s, monotonic", name)
			assert.WithinDuration(t, want.Round(0), got.Round(0), most, "%s, wall clock", name)
		}
	}
}

// A caller of After loses its processor before it enters the channel, which is closed meanwhile. The channel must not
// stay in the map: nothing else would remove it.
func TestAfterThatIsClosedBeforeItIsEnteredIsNotKept(t *testing.T) {
	tm := MustNew()
	defer tm.StopAll()
	a, s := &tm.after, &sharedTick{done: make(chan struct{})}
	s.to.Init(tm, s)
	a.mu.Lock()
	at := tm.time.wholeTick(tm.deadlineIn(0))
	_, err := tm.arm(&s.to, at, unbounded)
	require.NoError(t, err)
	<-s.done
	time.Sleep(10 * time.Millisecond) // Run waits for mu by now
	a.pending = map[int64]*sharedTick{at: s}
	a.mu.Unlock()
	require.Eventually(t, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.pending) == 0
	}, time.Second, time.Millisecond)
}

// A goroutine arms a timeout, and loses its processor before the push. The timer is stopped; then another goroutine
// stops the timeout and arms it again: the later arming must get ErrStopped, not the earlier one.
func TestArmOnAStoppedTimerIsRefusedWhileAnotherArmingIsNotPushedYet(t *testing.T) {
	for name, arm := range map[string]func(to *Timeout) error{
		"Arm":   func(to *Timeout) error { return to.Arm(time.Hour) },
		"Reset": func(to *Timeout) error { to.Reset(time.Hour); return to.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			tm := MustNew(WithMaxPending(2))
			to := new(Timeout).InitFunc(tm, func() {})
			deadline := tm.deadlineIn(time.Hour)
			assert.True(t, tm.quota.acquire(bounded))
			push, ok := to.begin(to.load(), deadline)
			assert.True(t, push && ok)

			assert.Empty(t, tm.StopAll())
			assert.True(t, to.Stop())
			assert.Equal(t, ErrStopped, arm(to))
			assert.Equal(t, Rejected, to.State())

			assert.NoError(t, tm.push(to, deadline), "its arming was canceled")
			assert.Equal(t, ErrStopped, to.Err())
			assert.Zero(t, tm.quota.taken.Load())
			assert.EqualValues(t, 1, tm.Stats().Rejected)
		})
	}
}
