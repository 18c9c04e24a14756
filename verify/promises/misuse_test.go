package promises

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// lease is a user's struct with a Timeout in it.
type lease struct {
	to   hashedwheel.Timeout
	runs int
}

func (l *lease) Run(*hashedwheel.Timeout) { l.runs++ }

// leases returns armed leases: all due within the same tick, or a second apart.
func leases(tm *hashedwheel.Timer, apart time.Duration) []lease {
	all := make([]lease, 10)
	for i := range all {
		all[i].arm(tm, time.Minute+time.Duration(i)*apart)
	}
	return all
}

func (l *lease) arm(tm *hashedwheel.Timer, d time.Duration) {
	l.to.Init(tm, l)
	l.to.Reset(d)
}

// overwrite is an assignment that go vet does not see.
func overwrite[T any](to, from *T) { *to = *from }

// With -tags invariants its checks may see it first.
const caught = `^hashedwheel: (armed Timeout` +
	`(, or one stopped a moment ago,| of \*promises\.lease)? was (copied or )?overwritten \(.*Reset\)|` +
	`invariant: .*)$`

// Mistakes of a program with leases that the wheel has filed. Go vet finds none of them except the loops.
var misuses = map[string]func(tm *hashedwheel.Timer, all []lease){
	"a slice grows, and a copy is stopped": func(_ *hashedwheel.Timer, all []lease) {
		grown := append(all, lease{})
		grown[3].to.Stop()
	},
	"a slice grows, and a copy is moved earlier": func(_ *hashedwheel.Timer, all []lease) {
		grown := append(all, lease{})
		grown[3].to.Reset(time.Second)
	},
	"a slice grows, and a copy is stopped and armed again": func(_ *hashedwheel.Timer, all []lease) {
		grown := append(all, lease{})
		grown[3].to.Stop()
		grown[3].to.Reset(time.Hour)
	},
	"one is copied onto another": func(_ *hashedwheel.Timer, all []lease) { overwrite(&all[3], &all[6]) },
	"two change places": func(_ *hashedwheel.Timer, all []lease) {
		var third lease
		overwrite(&third, &all[3])
		overwrite(&all[3], &all[4])
		overwrite(&all[4], &third)
	},
	"the first is deleted from a slice": func(_ *hashedwheel.Timer, all []lease) { _ = slices.Delete(all, 0, 1) },
	"the last is deleted from a slice":  func(_ *hashedwheel.Timer, all []lease) { _ = slices.Delete(all, 9, 10) },
	"one is cleared in a pool":          func(_ *hashedwheel.Timer, all []lease) { all[3] = lease{} },
	"all are cleared in a pool":         func(_ *hashedwheel.Timer, all []lease) { clear(all) },
	"one is cleared and armed again": func(tm *hashedwheel.Timer, all []lease) {
		all[3] = lease{}
		all[3].arm(tm, time.Minute)
	},
	"one is cleared and armed for another time": func(tm *hashedwheel.Timer, all []lease) {
		all[3] = lease{}
		all[3].arm(tm, 2*time.Hour)
	},
	"one is cleared, armed and stopped": func(tm *hashedwheel.Timer, all []lease) {
		all[3] = lease{}
		all[3].arm(tm, time.Minute)
		all[3].to.Stop()
	},
	"all are cleared and armed again": func(tm *hashedwheel.Timer, all []lease) {
		clear(all)
		for i := range all {
			all[i].arm(tm, time.Minute)
		}
	},
}

// Operations of the timer that find the mistakes.
var meetings = map[string]func(tm *hashedwheel.Timer, clock *hashedwheel.ManualClock){
	"Advance": func(_ *hashedwheel.Timer, clock *hashedwheel.ManualClock) { clock.Advance(3 * time.Hour) },
	"Pending, then Advance": func(tm *hashedwheel.Timer, clock *hashedwheel.ManualClock) {
		tm.Pending()
		clock.Advance(3 * time.Hour)
	},
	"Sample":   func(tm *hashedwheel.Timer, _ *hashedwheel.ManualClock) { tm.Sample(100) },
	"Stop":     func(tm *hashedwheel.Timer, _ *hashedwheel.ManualClock) { tm.StopAll() },
	"Shutdown": func(tm *hashedwheel.Timer, _ *hashedwheel.ManualClock) { _, _ = tm.Shutdown(context.Background()) },
}

func TestMisuseIsCaughtInTheWheel(t *testing.T) {
	for name := range misuses {
		assertMisuseIsCaught(t, name, time.Second)
	}
}

// A copy of a queued timeout cannot be distinguished from the original, unless the original was cleared.
func TestMisuseIsCaughtInTheQueue(t *testing.T) {
	for name := range misuses {
		if strings.Contains(name, "cleared") {
			assertMisuseIsCaught(t, name, 0)
		}
	}
}

// assertMisuseIsCaught lets some time pass between the arming, which queues the leases, and the misuse.
func assertMisuseIsCaught(t *testing.T, name string, after time.Duration) {
	for by, meet := range meetings {
		for _, apart := range []time.Duration{0, time.Second} {
			t.Run(fmt.Sprintf("%s, %v apart, met by %s", name, apart, by), func(t *testing.T) {
				clock, tm := timertest.NewManual()
				all := leases(tm, apart)
				if after > 0 {
					clock.Advance(after)
				}
				assertCaught(t, func() {
					misuses[name](tm, all) // an arming may also find the misuse
					meet(tm, clock)
				})
			})
		}
	}
}

func assertCaught(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		assert.Regexp(t, caught, recover())
	}()
	f()
}

// The timeout may be in the batch that the worker dispatches when its neighbor's task copies or clears it. No task runs
// twice, and none runs in place of another.
func TestMisuseIsCaughtInABatch(t *testing.T) {
	for name, misuse := range map[string]func(tm *hashedwheel.Timer, all []lease){
		"a slice grows, and copies are armed": func(_ *hashedwheel.Timer, all []lease) {
			grown := append(all, lease{})
			for i := range all {
				grown[i].to.ResetAt(timertest.Epoch) // earlier, for timeouts not yet dispatched
			}
		},
		"a slice grows, and copies are armed and stopped": func(_ *hashedwheel.Timer, all []lease) {
			grown := append(all, lease{})
			for i := range all {
				grown[i].to.ResetAt(timertest.Epoch)
				grown[i].to.Stop()
			}
		},
		"all are cleared": func(_ *hashedwheel.Timer, all []lease) { clear(all) },
		"all are cleared and armed again": func(tm *hashedwheel.Timer, all []lease) {
			clear(all)
			for i := range all {
				all[i].arm(tm, time.Minute)
				tm.Pending() // files it
			}
		},
		"the first is deleted from a slice": func(_ *hashedwheel.Timer, all []lease) { _ = slices.Delete(all, 0, 1) },
		// The last two places then hold the same pending timeout, and only its place in the batch shows that the first
		// of them is a copy.
		"the first is deleted by append": func(_ *hashedwheel.Timer, all []lease) { _ = append(all[:0], all[1:]...) },
	} {
		for by, meet := range meetings {
			for _, n := range slices.Compact([]int{min(10, limits.Batch-1), 10}) { // a batch; if small, also several
				t.Run(fmt.Sprintf("%s, %d in all, met by %s", name, n, by), func(t *testing.T) {
					clock, tm := timertest.NewManual(timertest.Inline)
					all := make([]lease, n)
					tm.AfterFunc(time.Minute, func() { misuse(tm, all) })
					for i := range all {
						tm.Pending() // files the last: they run in this order
						all[i].arm(tm, time.Minute)
					}
					tm.Pending()
					tm.AfterFunc(time.Minute, func() { misuse(tm, all) })
					assertCaught(t, func() {
						clock.Advance(time.Minute)
						meet(tm, clock)
					})
					for i := range all {
						assert.LessOrEqual(t, all[i].runs, 1)
					}
				})
			}
		}
	}
}

// The wheel of the first Timer has an entry that points at the timeout, whose home may name the same entry of another
// wheel.
func TestMisuseIsCaughtIfAClearedTimeoutIsBoundToAnotherTimer(t *testing.T) {
	for name, meet := range map[string]func(first *hashedwheel.Timer, clock *hashedwheel.ManualClock){
		"Advance": func(first *hashedwheel.Timer, clock *hashedwheel.ManualClock) { clock.Advance(6 * first.Tick()) },
		"Sample":  func(first *hashedwheel.Timer, _ *hashedwheel.ManualClock) { first.Sample(100) },
		"Stop":    func(first *hashedwheel.Timer, _ *hashedwheel.ManualClock) { first.StopAll() },
	} {
		t.Run(name, func(t *testing.T) {
			clock, first := timertest.NewManual(timertest.Inline)
			clock.Advance(5 * first.Tick())
			second := timertest.NewManualOn(clock, timertest.Inline)
			all := leases(first, 0)[:1]
			all[0].to.Reset(5 * first.Tick())
			first.Pending()
			clear(all)
			all[0].arm(second, 10*second.Tick())
			second.Pending()
			assertCaught(t, func() { meet(first, clock) })
			assert.Zero(t, all[0].runs)
		})
	}
}

// A task clears the struct of its own Timeout, and the program recovers the panic. The Timer is broken then: every
// later call that uses the wheel panics with the same message, and none hangs.
func TestMisuseBreaksTheTimerForGood(t *testing.T) {
	clock, tm := timertest.NewManual(timertest.Inline)
	bad := new(clearing)
	bad.to.Init(tm, bad)
	bad.to.Reset(time.Second)
	first := recovered(func() { clock.Advance(time.Second) })
	require.Contains(t, first, "was overwritten")
	for i, call := range []func(){
		func() { clock.Advance(time.Second) }, // until Stop
		func() { tm.Pending() },
		func() { tm.NextDue() },
		func() { tm.Sample(1) },
		func() { tm.Stats() },
		func() { tm.StopAll() },
		func() { _, _ = tm.Shutdown(t.Context()) },
		func() { tm.Pending() },
	} {
		for range 2 {
			timertest.Returns(t, func() { assert.Equal(t, first, recovered(call), "call %d", i) })
		}
	}
}

// clearing is a task that clears its own struct.
type clearing struct{ to hashedwheel.Timeout }

func (c *clearing) Run(*hashedwheel.Timeout) { overwrite(c, new(clearing)) }

// recovered returns the value with which f panics, nil if it returns.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// Nobody can recover a panic of the worker.
func TestMisuseEndsTheProcess(t *testing.T) {
	if timertest.IsOwnProcess(t) {
		tm := timertest.New()
		all := leases(tm, 0)
		tm.Pending() // files them: in the queue a copy is as good as the original
		time.Sleep(20 * timertest.Tick)
		grown := append(all, lease{})
		grown[3].to.Stop()
		time.Sleep(time.Minute)
		return // and so it has not ended
	}
	t.Parallel()
	out, err := timertest.OwnProcess(t).CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 2, exit.ExitCode())
	assert.Contains(t, string(out), "panic: hashedwheel: armed Timeout of *promises.lease was copied or overwritten")
}

// The stack of the panic shows none of the program's functions. So the message names the timeout's task, what may have
// happened, and what to do.
func TestMisuseSaysWhatToDo(t *testing.T) {
	const remedy = "leave the Timeout in its place, also in a sync.Pool, and arm it again by Reset)"
	clock, tm := timertest.NewManual()
	type session struct{ to hashedwheel.Timeout }
	sessions := make([]session, 1, 2)
	_, _, line, _ := runtime.Caller(0)
	sessions[0].to.InitFunc(tm, func() {}).Reset(time.Minute)
	clock.Advance(time.Second)
	grown := append(make([]session, 0, 2), sessions...)
	message := fmt.Sprintf("hashedwheel: armed Timeout of promises.TestMisuseSaysWhatToDo.func1 (misuse_test.go:%d) "+
		"was copied or overwritten (did a slice grow, or was the struct that holds it cleared? %s", line+1, remedy)
	assert.PanicsWithValue(t, message, func() {
		grown[0].to.Reset(time.Second)
		clock.Advance(time.Minute)
	})

	clock, tm = timertest.NewManual()
	all := leases(tm, 0)
	clear(all)
	message = "hashedwheel: armed Timeout, or one stopped a moment ago, was overwritten " +
		"(was the struct that holds it cleared? " + remedy
	assert.PanicsWithValue(t, message, func() { clock.Advance(time.Minute) })
}
