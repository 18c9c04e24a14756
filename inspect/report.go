package inspect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// sampleSize is enough for a share of a tenth to be right within a hundredth (two
// standard deviations), and few enough to be named and sorted in some milliseconds.
const sampleSize = 4096

// A report is what the JSON says, and what the page is made of.
type report struct {
	Time   time.Time     `json:"time"`
	Timers []timerReport `json:"timers"`
}

type timerReport struct {
	Name    string        `json:"name"`
	Tick    time.Duration `json:"tick_ns"`
	Sampled int           `json:"sampled"`
	Stats   stats         `json:"stats"`
	Due     []dueRow      `json:"due"`
	Tasks   []taskRow     `json:"tasks"`
}

// stats is hashedwheel.Stats with names for programs.
type stats struct {
	Pending   int           `json:"pending"`
	Expired   uint64        `json:"expired"`
	Cancelled uint64        `json:"cancelled"`
	Rejected  uint64        `json:"rejected"`
	Panics    uint64        `json:"panics"`
	Wakeups   uint64        `json:"wakeups"`
	Lag       time.Duration `json:"lag_ns"`
	MaxLag    time.Duration `json:"max_lag_ns"`
	Overdue   time.Duration `json:"overdue_ns"`
}

// A dueRow counts those due within a time and not within that of the row before.
type dueRow struct {
	Within time.Duration `json:"within_ns"`
	Count  int           `json:"count"`
}

type taskRow struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func newTimerReport(name string, tm *hashedwheel.Timer) timerReport {
	s := tm.Stats()
	sample := tm.Sample(sampleSize)
	r := timerReport{
		Name: name, Tick: tm.Tick(), Sampled: len(sample),
		Stats: stats{
			Pending: s.Pending, Expired: s.Expired, Cancelled: s.Cancelled, Rejected: s.Rejected, Panics: s.Panics,
			Wakeups: s.Wakeups, Lag: s.Lag, MaxLag: s.MaxLag, Overdue: s.Overdue,
		},
	}
	r.Due = countDue(dueRows(tm.Tick()), sample, tm.Now())
	r.Tasks = countTasks(sample)
	r.scale()
	return r
}

// estimated reports whether the sample is not all that was pending.
func (r *timerReport) estimated() bool { return r.Stats.Pending > sampleSize && r.Sampled > 0 }

// scale makes what was counted in the sample an estimate of all that is pending.
func (r *timerReport) scale() {
	if !r.estimated() {
		return
	}
	factor := float64(r.Stats.Pending) / float64(r.Sampled)
	for i := range r.Due {
		r.Due[i].Count = int(math.Round(float64(r.Due[i].Count) * factor))
	}
	for i := range r.Tasks {
		r.Tasks[i].Count = int(math.Round(float64(r.Tasks[i].Count) * factor))
	}
}

// countDue counts the deadlines of a sample into rows that are sorted.
func countDue(rows []dueRow, sample []*hashedwheel.Timeout, now time.Time) []dueRow {
	for _, to := range sample {
		in := to.Deadline().Sub(now)
		i, _ := slices.BinarySearchFunc(rows, in, func(r dueRow, d time.Duration) int { return cmp.Compare(r.Within, d) })
		rows[min(i, len(rows)-1)].Count++
	}
	return rows
}

// countTasks counts a sample by what its tasks are called, the most first.
func countTasks(sample []*hashedwheel.Timeout) []taskRow {
	counts := make(map[string]int)
	for _, to := range sample {
		counts[taskname.Of(to.Task())]++
	}
	rows := make([]taskRow, 0, len(counts))
	for name, n := range counts {
		rows = append(rows, taskRow{name, n})
	}
	slices.SortFunc(rows, func(a, b taskRow) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return rows
}
