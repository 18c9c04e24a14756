package inspect

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

var update = flag.Bool("update", false, "write testdata/page.html")

// The first page has three timers: a busy timer with problems and a sample, a calm timer without a name, and a stopped
// timer. The second page has no timers.
func TestPageMatchesTheGoldenFile(t *testing.T) {
	const file = "testdata/page.html"
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	busy := timerReport{
		Name: "calls & <more>", Tick: 10 * time.Millisecond, Sampled: sampleSize,
		Stats: hashedwheel.Stats{
			Pending: 199_900, MaxPending: 200_000, Expired: 1_234_567, Rejected: 9, Panics: 3, Wakeups: 5000,
			Lateness: newLateness([20]uint64{5_000_000_001, 200_000, 30_000, 7: 4000, 19: 5}),
			Overdue:  25 * time.Millisecond,
		},
		Due: dueRows(10 * time.Millisecond),
	}
	for i := range busy.Due {
		busy.Due[i].Count = i * i * i * 1234 % 56_789
	}
	for i := range maxTasks + 3 {
		busy.Tasks = append(busy.Tasks, taskRow{Name: fmt.Sprint("task ", i), Count: 700 * (maxTasks + 3 - i)})
	}
	busy.Tasks[0].Name = `</script></main> " onload="x' <!-- {{.}}`
	calm := timerReport{
		Tick: time.Second, Sampled: 3, Due: dueRows(time.Second),
		Stats: hashedwheel.Stats{
			Pending: 3, MaxPending: 40, Expired: 7, Rejected: 1, Panics: 1, Wakeups: 9,
			Lateness: newLateness([20]uint64{3: 6, 19: 1}), Overdue: 2 * time.Second,
		},
		Tasks: []taskRow{{Name: "main.(*call).expire", Count: 2}, {Name: "main.main.func1", Count: 1}},
	}
	calm.Due[0].Count, calm.Due[9].Count = 2, 1
	stopped := timerReport{
		Name: "stopped", Tick: time.Minute, Due: dueRows(time.Minute),
		Stats: hashedwheel.Stats{Stopped: true, Lateness: newLateness([20]uint64{})},
	}
	busyBefore, calmBefore := busy, calm
	busyBefore.Stats = hashedwheel.Stats{
		Expired: 1_200_000, Rejected: 8, Wakeups: 4990,
		Lateness: newLateness([20]uint64{5_000_000_000, 190_000, 30_000}),
	}
	calmBefore.Stats.Wakeups = 6
	waited := func(counts ...uint64) waits {
		return newWaits(&metrics.Float64Histogram{Counts: counts, Buckets: []float64{0, 150e-6, 12e-3, math.Inf(1)}})
	}
	now := look{
		report{begun.Add(4 * time.Second), []timerReport{busy, calm, stopped}},
		scheduler{processors: 2, ready: 1234, waited: waited(60, 39, 3)},
	}
	before := look{
		report{begun, []timerReport{busyBefore, calmBefore, stopped}},
		scheduler{waited: waited(0, 0, 2)},
	}
	empty := look{report{Time: begun}, scheduler{waited: waited(0, 0, 0)}}
	var got bytes.Buffer
	p := newPage()
	require.NoError(t, p.write(&got, now, before))
	require.NoError(t, p.write(&got, empty, empty))
	page := strings.NewReplacer(styleText, "", scriptText, "").Replace(got.String())
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), page, "if the new page is right: go test ./inspect -run Golden -update")
}
