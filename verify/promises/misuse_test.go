package promises

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// lease is a user's struct with a Timeout in it.
type lease struct {
	to   hashedwheel.Timeout
	runs int
}

func (l *lease) Run(*hashedwheel.Timeout) { l.runs++ }

func (l *lease) arm(tm *hashedwheel.Timer, d time.Duration) { l.to.Init(tm, l).Reset(d) }

// overwrite is an assignment that go vet does not see.
func overwrite[T any](to, from *T) { *to = *from }

// program is one with ten armed leases, of which two at a time are due in the same tick.
type program struct {
	clock *hashedwheel.ManualClock
	tm    *hashedwheel.Timer
	all   []lease
}

func newProgram() program {
	p := program{all: make([]lease, 10)}
	p.clock, p.tm = timertest.NewManual()
	for i := range p.all {
		p.all[i].arm(p.tm, time.Minute+time.Duration(i/2)*time.Second)
	}
	return p
}

// Mistakes of a program. Go vet finds none of them except the loops. While leases are queued, a copy is as good as the
// original, and only a lease that was cleared is caught.
var misuses = map[string]func(p program){
	"a slice grows, and a copy is stopped":       func(p program) { append(p.all, lease{})[3].to.Stop() },
	"a slice grows, and a copy is moved earlier": func(p program) { append(p.all, lease{})[3].to.Reset(time.Second) },
	"a slice grows, and a copy is stopped and armed again": func(p program) {
		grown := append(p.all, lease{})
		grown[3].to.Stop()
		grown[3].to.Reset(time.Hour)
	},
	"one is copied onto another": func(p program) { overwrite(&p.all[3], &p.all[6]) },
	"two change places": func(p program) {
		var third lease
		overwrite(&third, &p.all[3])
		overwrite(&p.all[3], &p.all[4])
		overwrite(&p.all[4], &third)
	},
	"the first is deleted from a slice": func(p program) { _ = slices.Delete(p.all, 0, 1) },
	"the last is deleted from a slice":  func(p program) { _ = slices.Delete(p.all, 9, 10) },
	"one is cleared":                    func(p program) { p.all[3] = lease{} },
	"all are cleared":                   func(p program) { clear(p.all) },
	"one is cleared and armed again": func(p program) {
		p.all[3] = lease{}
		p.all[3].arm(p.tm, time.Minute)
	},
	"one is cleared, armed and stopped": func(p program) {
		p.all[3] = lease{}
		p.all[3].arm(p.tm, 2*time.Hour)
		p.all[3].to.Stop()
	},
	"all are cleared and armed again": func(p program) {
		clear(p.all)
		for i := range p.all {
			p.all[i].arm(p.tm, time.Minute)
		}
	},
	// The wheel of the first Timer has an entry that points at the timeout, whose home names the same entry of the
	// other wheel.
	"one is cleared and bound to another Timer": func(p program) {
		p.all[0].to.Reset(5 * p.tm.Tick())
		p.tm.Pending() // files it
		p.all[0] = lease{}
		other := timertest.NewManualOn(p.clock)
		ticks := p.clock.Now().Sub(timertest.Epoch) / p.tm.Tick()
		p.all[0].to.InitFunc(other, func() { os.Exit(0) }).Reset((ticks + 5) * p.tm.Tick())
		other.Pending()
	},
}

// Operations of the Timer that meet the leases.
var meetings = map[string]func(p program){
	"Advance": func(p program) { p.clock.Advance(3 * time.Hour) },
	"Sample":  func(p program) { p.tm.Sample(100) },
	"StopAll": func(p program) { p.tm.StopAll() },
}

// Each ends its process by a panic that nobody can recover, with a message that names the task.
func TestMisuseIsCaught(t *testing.T) {
	for name, misuse := range misuses {
		for by, meet := range meetings {
			for _, where := range []string{"queue", "wheel"} {
				if where == "queue" && !strings.Contains(name, "cleared") {
					continue
				}
				t.Run(fmt.Sprintf("%s in the %s, met by %s", name, where, by), func(t *testing.T) {
					assertEndsTheProcess(t, `(, or one stopped a moment ago,| of .+)?`, func() {
						p := newProgram()
						if where == "wheel" {
							p.clock.Advance(time.Second)
						}
						misuse(p) // an arming may also meet it
						meet(p)
					})
				})
			}
		}
	}
}

// Nobody can recover the panic of a worker either, and a function is named with its line.
func TestMisuseIsCaughtByTheWorker(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	task := func() {}
	name := fmt.Sprintf(` of promises\.TestMisuseIsCaughtByTheWorker\.func1 \(misuse_test\.go:%d\)`, line+1)
	assertEndsTheProcess(t, name, func() {
		tm := timertest.New()
		all := make([]hashedwheel.Timeout, 10)
		for i := range all {
			all[i].InitFunc(tm, task).Reset(time.Minute)
		}
		tm.Pending() // files them
		time.Sleep(20 * timertest.Tick)
		grown := append(make([]hashedwheel.Timeout, 0, 20), all[:5]...)
		grown[3].Stop()
		time.Sleep(time.Minute)
	})
}

// assertEndsTheProcess runs f in a separate process, which must end with the message for a Timeout of a task.
func assertEndsTheProcess(t *testing.T, of string, f func()) {
	t.Helper()
	if timertest.IsOwnProcess(t) {
		defer func() {
			if broken := fmt.Sprint(recover()); strings.Contains(broken, "invariant: ") { // see invariants.go
				panic(broken)
			}
		}()
		f()
		return
	}
	t.Parallel()
	out, err := timertest.OwnProcess(t).CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	assert.Equal(t, 2, exit.ExitCode())
	const how = `was (copied or )?overwritten \((did a slice grow, or )?was the struct that holds it cleared\? ` +
		`call Release first\)\n`
	assert.Regexp(t, regexp.MustCompile(`panic: hashedwheel: (invariant: |armed Timeout`+of+` `+how+`)`), string(out))
}

// An expired Timeout is nowhere: its task may clear the struct that holds it, bind it again, or copy it.
func TestExpiredTimeoutIsItsTasks(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				all, kept := make([]lease, 100), make([]lease, 100)
				for i := range all {
					l := &all[i]
					again := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { l.runs++ })
					l.to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
						overwrite(&kept[i], l)
						*l = lease{runs: 1}
						l.to.Init(tm, again).Reset(time.Second)
					})).Reset(time.Second)
				}
				timertest.Pass(time.Second)
				assert.Equal(t, len(all), tm.Pending())
				tm.Sample(len(all))
				timertest.Pass(time.Second)
				for i := range all {
					assert.Equal(t, 2, all[i].runs)
				}
				assert.Empty(t, tm.StopAll())
			}, opts...)
		})
	}
}
