package promises

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAllocationsOfACall(t *testing.T) {
	tm := timertest.NewResting(t)
	bounded := timertest.NewResting(t, hashedwheel.WithMaxPending(1<<20))
	full := timertest.NewResting(t, hashedwheel.WithMaxPending(1))
	stopped := hashedwheel.MustNew()
	stopped.Stop()
	to, filed := timertest.Owned(tm, timertest.NopTask), timertest.Owned(tm, timertest.NopTask)
	filed.Reset(100 * time.Hour)
	tm.Pending()
	at := time.Now().Add(10 * time.Hour)
	fresh := make([]hashedwheel.Timeout, 1100)
	toBounded := timertest.Owned(bounded, timertest.NopTask)

	for _, call := range []struct {
		name    string
		ceiling float64
		f       func()
	}{
		{"AfterFunc", 1, func() { tm.AfterFunc(time.Hour, timertest.Nop) }},
		{"AfterFunc and Stop", 1, func() { tm.AfterFunc(time.Hour, timertest.Nop).Stop() }},
		{"AfterFunc with a bound", 1, func() { bounded.AfterFunc(time.Hour, timertest.Nop).Stop() }},
		{"AfterFunc, refused", 1, func() { full.AfterFunc(time.Hour, timertest.Nop) }},
		{"AfterFunc, too late", 1, func() { stopped.AfterFunc(time.Hour, timertest.Nop) }},
		{"Schedule", 1, func() { _, _ = tm.Schedule(time.Hour, timertest.NopTask) }},
		{"Schedule, refused", 1, func() { _, _ = full.Schedule(time.Hour, timertest.NopTask) }},
		{"Reset", 0, func() { to.Reset(time.Hour) }},
		{"Reset and Stop", 0, func() { to.Reset(time.Hour); to.Stop() }},
		{"Reset and Stop with a bound", 0, func() { toBounded.Reset(time.Hour); toBounded.Stop() }},
		{"Reset to a later time", 0, func() { filed.Reset(200 * time.Hour) }},
		{"Reset to an earlier time", 0, func() { filed.Reset(300 * time.Hour); filed.Reset(20 * time.Hour) }},
		{"ResetAt", 0, func() { to.ResetAt(at) }},
		{"Init, Reset and Stop", 0, func() {
			to := &fresh[0]
			fresh = fresh[1:]
			to.Init(tm, timertest.NopTask)
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
	tm := timertest.New(hashedwheel.WithClock(clock), hashedwheel.WithWheelSize(8), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	all := make([]hashedwheel.Timeout, 10_000)
	for i := range all {
		all[i].Init(tm, timertest.NopTask)
	}
	measured := testing.AllocsPerRun(3, func() {
		for i := range all {
			all[i].Reset(time.Minute)
		}
		for i := range all[:1000] {
			all[i].Stop()
		}
		clock.Advance(time.Minute + timertest.Tick)
	})
	assert.Less(t, measured, 500.0, "what Advance itself allocates, for 10,000 timeouts")
	assert.Zero(t, tm.Pending())
}

func TestBytesOfAPendingTimeout(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(hashedwheel.Timeout{}), uintptr(64))
	const n = 500_000 // against which each processor's reserve is little
	clock := hashedwheel.NewManualClock(time.Now())
	tm := timertest.New(hashedwheel.WithClock(clock))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		tm.AfterFunc(time.Duration(i)*time.Second, timertest.Nop)
	}
	assert.Equal(t, n, tm.Pending()) // all are filed
	runtime.ReadMemStats(&after)
	assert.Less(t, float64(after.TotalAlloc-before.TotalAlloc)/n, 65.0)
}
