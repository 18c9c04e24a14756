package hashedwheel_test

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// A tick of an hour keeps the worker, which allocates for its sleep, out of the
// way of the calls that are measured.
func newSlowTimer(t *testing.T, opts ...hashedwheel.Option) *hashedwheel.Timer {
	tm := hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(time.Hour)}, opts...)...)
	t.Cleanup(func() { tm.Stop() })
	tm.AfterFunc(24*time.Hour, nop)
	return tm
}

func TestAllocationsOfACall(t *testing.T) {
	tm := newSlowTimer(t)
	bounded := newSlowTimer(t, hashedwheel.WithMaxPending(1<<20))
	full := newSlowTimer(t, hashedwheel.WithMaxPending(1))
	stopped := hashedwheel.MustNew()
	stopped.Stop()
	to, filed := owned(tm, nopTask), owned(tm, nopTask)
	filed.Reset(100 * time.Hour)
	tm.Pending()
	at := time.Now().Add(10 * time.Hour)
	fresh := make([]hashedwheel.Timeout, 1100)
	toBounded := owned(bounded, nopTask)

	for _, call := range []struct {
		name    string
		ceiling float64
		f       func()
	}{
		{"AfterFunc", 1, func() { tm.AfterFunc(time.Hour, nop) }},
		{"AfterFunc and Stop", 1, func() { tm.AfterFunc(time.Hour, nop).Stop() }},
		{"AfterFunc with a bound", 1, func() { bounded.AfterFunc(time.Hour, nop).Stop() }},
		{"AfterFunc, refused", 1, func() { full.AfterFunc(time.Hour, nop) }},
		{"AfterFunc, too late", 1, func() { stopped.AfterFunc(time.Hour, nop) }},
		{"Schedule", 1, func() { _, _ = tm.Schedule(time.Hour, nopTask) }},
		{"Schedule, refused", 1, func() { _, _ = full.Schedule(time.Hour, nopTask) }},
		{"Reset", 0, func() { to.Reset(time.Hour) }},
		{"Reset and Stop", 0, func() { to.Reset(time.Hour); to.Stop() }},
		{"Reset and Stop with a bound", 0, func() { toBounded.Reset(time.Hour); toBounded.Stop() }},
		{"Reset to a later time", 0, func() { filed.Reset(200 * time.Hour) }},
		{"Reset to an earlier time", 0, func() { filed.Reset(300 * time.Hour); filed.Reset(20 * time.Hour) }},
		{"ResetAt", 0, func() { to.ResetAt(at) }},
		{"Init, Reset and Stop", 0, func() {
			to := &fresh[0]
			fresh = fresh[1:]
			to.Init(tm, nopTask)
			to.Reset(time.Hour)
			to.Stop()
		}},
		{"Stop, again", 0, func() { to.Stop() }},
		{"State and Deadline", 0, func() { _, _ = to.State(), to.Deadline() }},
		{"Task and Timer", 0, func() { _, _ = to.Task(), to.Timer() }},
		{"Pending", 0, func() { tm.Pending() }},
		{"Stats", 0, func() { tm.Stats() }},
		{"Timer.Stop, again", 0, func() { stopped.Stop() }},
	} {
		t.Run(call.name, func(t *testing.T) {
			assert.LessOrEqual(t, testing.AllocsPerRun(1000, call.f), call.ceiling)
		})
	}
}

// Nothing is allocated behind the calls either: not to file a timeout, to move
// it from ring to bucket, or to run its task inline.
func TestAllocationsOfAWholeLife(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := newTickingTimer(hashedwheel.WithClock(clock), hashedwheel.WithWheelSize(8), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	all := make([]hashedwheel.Timeout, 10_000)
	for i := range all {
		all[i].Init(tm, nopTask)
	}
	measured := testing.AllocsPerRun(3, func() {
		for i := range all {
			all[i].Reset(time.Minute)
		}
		for i := range all[:1000] {
			all[i].Stop()
		}
		clock.Advance(time.Minute + oneTick)
	})
	assert.Less(t, measured, 500.0, "what Advance itself allocates, for 10,000 timeouts")
	assert.Zero(t, tm.Pending())
}

func TestBytesOfAPendingTimeout(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(hashedwheel.Timeout{}), uintptr(64))
	const n = 100_000
	clock := hashedwheel.NewManualClock(time.Now())
	tm := newTickingTimer(hashedwheel.WithClock(clock))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		tm.AfterFunc(time.Duration(i)*time.Second, nop)
	}
	assert.Equal(t, n, tm.Pending()) // all are filed
	runtime.ReadMemStats(&after)
	assert.Less(t, float64(after.TotalAlloc-before.TotalAlloc)/n, 65.0)
}
