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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// armers arm a timeout whose handle is dropped, by package time or on a wheel.
var armers = map[string]func(tm *hashedwheel.Timer, d time.Duration){
	"package time":          func(_ *hashedwheel.Timer, d time.Duration) { time.AfterFunc(d, timertest.Nop) },
	"the wheel":             func(tm *hashedwheel.Timer, d time.Duration) { tm.AfterFunc(d, timertest.Nop) },
	"the wheel, one bucket": func(tm *hashedwheel.Timer, _ time.Duration) { tm.AfterFunc(45*time.Second, timertest.Nop) },
}

// The collector marks a list node by node, on one processor, at several times the cost of package time's heap. Each
// contestant has a process, since a load leaves work for the collections after it.
func TestCollectionBesideAMillionPendingTimeoutsCostsNoMoreThanPackageTimes(t *testing.T) {
	cost := map[string]float64{}
	for name, arm := range armers {
		t.Run(name, func(t *testing.T) {
			if timertest.IsOwnProcess(t) {
				fmt.Printf("a collection takes %d ns\n", collection(arm))
				return
			}
			out, err := timertest.OwnProcess(t).CombinedOutput()
			require.NoError(t, err, "%s", out)
			took := regexp.MustCompile(`takes (\d+) ns`).FindSubmatch(out)
			require.NotNil(t, took, "%s", out)
			cost[name], err = strconv.ParseFloat(string(took[1]), 64)
			require.NoError(t, err)
		})
	}
	for name, ns := range cost {
		t.Logf("%s: %.1f ms", name, ns/1e6)
		assert.LessOrEqual(t, ns, 1.5*cost["package time"], name) // about 0.8; with lists four times as much
	}
}

// collection returns the CPU time of one, the median of a few.
func collection(arm func(tm *hashedwheel.Timer, d time.Duration)) time.Duration {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	for _, i := range rand.Perm(1_000_000) { // the neighbors in a bucket are not neighbors in memory
		arm(tm, 40*time.Second+time.Duration(i)*20*time.Microsecond)
	}
	time.Sleep(300 * time.Millisecond) // the worker files them
	var took []time.Duration
	for range 7 {
		before := timertest.CPUTime()
		runtime.GC()
		took = append(took, timertest.CPUTime()-before)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
