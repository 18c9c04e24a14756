package promises

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAllocationsOfACall(t *testing.T) {
	tm := timertest.NewResting(t)
	bounded := timertest.NewResting(t, hashedwheel.WithMaxPending(1<<20))
	full := timertest.NewResting(t, hashedwheel.WithMaxPending(1))
	stopped := hashedwheel.MustNew()
	stopped.StopAll()
	to, filed := timertest.Owned(tm, timertest.NopTask), timertest.Owned(tm, timertest.NopTask)
	filed.Reset(100 * time.Hour)
	tm.Pending()
	at := time.Now().Add(10 * time.Hour)
	fresh := make([]hashedwheel.Timeout, 1100)
	toBounded, toFull := timertest.Owned(bounded, timertest.NopTask), timertest.Owned(full, timertest.NopTask)

	for _, call := range []struct {
		name    string
		ceiling float64
		f       func()
	}{
		{"AfterFunc", 1, func() { tm.AfterFunc(time.Hour, timertest.Nop) }},
		{"AfterFunc and Stop", 1, func() { tm.AfterFunc(time.Hour, timertest.Nop).Stop() }},
		{"AfterFunc with a bound", 1, func() { bounded.AfterFunc(time.Hour, timertest.Nop).Stop() }},
		{"AfterFunc beyond the bound", 1, func() { full.AfterFunc(time.Hour, timertest.Nop).Stop() }},
		{"AfterFunc, too late", 1, func() { stopped.AfterFunc(time.Hour, timertest.Nop) }},
		{"Schedule", 1, func() { _, _ = tm.Schedule(time.Hour, timertest.NopTask) }},
		{"Schedule, refused", 1, func() { _, _ = full.Schedule(time.Hour, timertest.NopTask) }},
		{"Reset", 0, func() { to.Reset(time.Hour) }},
		{"Reset and Stop", 0, func() { to.Reset(time.Hour); to.Stop() }},
		{"Reset and Stop with a bound", 0, func() { toBounded.Reset(time.Hour); toBounded.Stop() }},
		{"Arm and Stop with a bound", 0, func() { _ = toBounded.Arm(time.Hour); toBounded.Stop() }},
		{"Arm, refused", 0, func() { _ = toFull.Arm(time.Hour) }},
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
		{"Stats", 1, func() { tm.Stats() }},
		{"Timer.StopAll, again", 0, func() { stopped.StopAll() }},
	} {
		t.Run(call.name, func(t *testing.T) {
			assert.LessOrEqual(t, testing.AllocsPerRun(1000, call.f), call.ceiling)
		})
	}
}

// Nor is anything allocated behind the calls: not to file a timeout, to move it from ring to bucket, or to run its task
// inline.
func TestAllocationsOfAWholeLife(t *testing.T) {
	plainSizes(t)
	clock := hashedwheel.NewManualClock(time.Now())
	tm := timertest.New(hashedwheel.WithClock(clock), hashedwheel.WithWheelSize(8), timertest.Inline)
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
	assert.Less(t, measured, 500.0, "for 10,000 timeouts")
	assert.Zero(t, tm.Pending())
}

// plainSizes skips a test of memory with -tags small, where chunks are so small that their headers count.
func plainSizes(t *testing.T) {
	if limits.Chunk < 500 {
		t.Skip("needs chunks of the plain size")
	}
}

// A timeout is 48 bytes, and needs at most 16 more in the wheel, 9 where many are pending.
func TestBytesOfAPendingTimeout(t *testing.T) {
	const size = 48
	assert.LessOrEqual(t, unsafe.Sizeof(hashedwheel.Timeout{}), uintptr(size))
	plainSizes(t)
	if timertest.Race {
		t.Skip("it counts bytes, in one goroutine")
	}
	for name, c := range map[string]struct {
		size  int     // of the wheel
		n     int     // large enough that the runtime's own allocations hardly count
		more  float64 // bytes per timeout, besides its own
		ticks func(i time.Duration) time.Duration
	}{
		"two in a bucket":          {1 << 16, 100_000, 16, func(i time.Duration) time.Duration { return i % 5e4 }},
		"one in a bucket":          {1 << 16, 60_000, 16, func(i time.Duration) time.Duration { return i }},
		"half a million in a tick": {512, 500_000, 9, func(time.Duration) time.Duration { return 100 }},
		"half a million, spread":   {512, 500_000, 9, func(i time.Duration) time.Duration { return i % 1e5 * 1000 }},
	} {
		t.Run(name, func(t *testing.T) {
			clock := hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now()))
			tm := timertest.New(clock, hashedwheel.WithWheelSize(c.size))
			tm.AfterFunc(0, timertest.Nop).Stop()
			tm.AfterFunc(30*365*24*time.Hour, timertest.Nop) // makes all rings
			tm.Pending()
			all := make([]*hashedwheel.Timeout, c.n)
			before := timertest.Heap()
			for i := range all {
				all[i] = tm.AfterFunc(c.ticks(time.Duration(i))*timertest.Tick, timertest.Nop)
			}
			require.Equal(t, c.n+1, tm.Pending()) // all are filed
			assert.LessOrEqual(t, float64(timertest.Heap()-before)/float64(c.n), size+c.more+0.5)
			runtime.KeepAlive(all)
		})
	}
}

// beside has the loads next to which a collection is measured: a million timeouts of the time package, or on a wheel.
// arm returns a function that arms one timeout, whose handle is then dropped.
var beside = map[string]struct {
	opts []hashedwheel.Option
	arm  func(tm *hashedwheel.Timer) func(d time.Duration)
}{
	"the time package": {arm: func(*hashedwheel.Timer) func(d time.Duration) {
		t := time.AfterFunc(time.Hour, timertest.Nop)
		t.Stop()
		return func(d time.Duration) { t.Reset(d) }
	}},
	"the wheel":             {arm: owned},
	"the wheel, one bucket": {[]hashedwheel.Option{hashedwheel.WithTick(time.Minute)}, owned},
	sparse: {[]hashedwheel.Option{
		hashedwheel.WithTick(time.Millisecond), hashedwheel.WithWheelSize(1 << 16)}, owned},
}

const sparse = "the wheel, 33 a bucket"

func owned(tm *hashedwheel.Timer) func(d time.Duration) {
	t := timertest.Owned(tm, timertest.NopTask)
	return func(d time.Duration) { t.Reset(d) }
}

// The collector marks a list node by node, on one processor, at several times the cost of the time package's heap. Each
// contestant has a process, since a load leaves work for the collections after it.
func TestCollectionBesideAMillionPendingTimeoutsCostsNoMoreThanPackageTimes(t *testing.T) {
	plainSizes(t)
	if timertest.Race || testing.Short() {
		t.Skip("a race detector's memory would be read too, and eight processes or more take half a minute")
	}
	least := map[string]float64{} // ns; other programs only add to it
	for round := 1; round <= 8 && !costNoMore(least); round++ {
		for name, c := range beside {
			t.Run(fmt.Sprintf("%s, %d", name, round), func(t *testing.T) {
				if timertest.IsOwnProcess(t) {
					fmt.Printf("a collection takes %d ns\n", collection(c.arm, c.opts...))
					return
				}
				out, err := timertest.OwnProcess(t, "GOGC=off").CombinedOutput() // no collections but those measured
				require.NoError(t, err, "%s", out)
				took := regexp.MustCompile(`takes (\d+) ns`).FindSubmatch(out)
				require.NotNil(t, took, "%s", out)
				ns, err := strconv.ParseFloat(string(took[1]), 64)
				require.NoError(t, err)
				if before, ok := least[name]; !ok || ns < before {
					least[name] = ns
				}
			})
		}
	}
	t.Log(least)
	assert.True(t, len(least) == 0 || costNoMore(least)) // 0: in the process of one contestant
}

// costNoMore reports whether a collection costs less with the wheel than with the time package: it costs 0.7 times as
// much, and with lists four times. Many buckets cost no more than one, but a fifth more if indexLen is 7. A wheel in
// which a bucket has few timeouts costs 2.5 times as much as the time package: see WithWheelSize.
func costNoMore(least map[string]float64) bool {
	std, wheel, oneBucket := least["the time package"], least["the wheel"], least["the wheel, one bucket"]
	return std > 0 && wheel <= 0.9*std && oneBucket <= 0.9*std && wheel <= 1.1*oneBucket &&
		least[sparse] <= 4*std
}

// collection returns the CPU time of one, the least of a few: other programs only add to it.
func collection(
	arm func(tm *hashedwheel.Timer) func(d time.Duration), opts ...hashedwheel.Option,
) time.Duration {
	tm := hashedwheel.MustNew(opts...)
	defer tm.StopAll()
	arms := make([]func(d time.Duration), 1_000_000)
	for i := range arms {
		arms[i] = arm(tm)
	}
	// Neighbors in the wheel are not neighbors in memory.
	rand.Shuffle(len(arms), func(i, j int) { arms[i], arms[j] = arms[j], arms[i] })
	for i, arm := range arms {
		arm(20*time.Second + time.Duration(i)*30*time.Microsecond)
	}
	arms = nil
	time.Sleep(300 * time.Millisecond) // the worker files them
	var took []time.Duration
	for range 7 {
		before := timertest.CPUTime()
		runtime.GC()
		took = append(took, timertest.CPUTime()-before)
	}
	return slices.Min(took)
}
