package inspect

import (
	"cmp"
	"math"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// sampleSize is enough for a share of one in a hundred to be right within a third (four
// standard deviations), and small enough to be named and sorted in a few milliseconds.
const sampleSize = 16_384

// A report is the JSON, and the source of the page.
type report struct {
	Time       time.Time     `json:"time"`
	Waits      waits         `json:"processor_wait"`
	Processors int           `json:"processors"`
	Ready      uint64        `json:"ready_goroutines"`
	Timers     []timerReport `json:"timers"`

	waited *metrics.Float64Histogram // all waits, for later reports
}

type timerReport struct {
	Name    string        `json:"name"`
	Tick    time.Duration `json:"tick_ns"`
	Sampled int           `json:"sampled"`
	Stats   stats         `json:"stats"`
	Lags    lags          `json:"lag_histogram"`
	Due     []dueRow      `json:"due"`
	Tasks   []taskRow     `json:"tasks"`
}

// stats is hashedwheel.Stats with names for programs, without LagCounts.
type stats struct {
	Pending    int           `json:"pending"`
	MaxPending int           `json:"max_pending"`
	Stopped    bool          `json:"stopped"`
	Expired    uint64        `json:"expired"`
	Rejected   uint64        `json:"rejected"`
	Panics     uint64        `json:"panics"`
	Wakeups    uint64        `json:"wakeups"`
	Lag        time.Duration `json:"lag_ns"`
	MaxLag     time.Duration `json:"max_lag_ns"`
	Overdue    time.Duration `json:"overdue_ns"`
}

// A dueRow counts timeouts that are due later than From and at most Within from now.
type dueRow struct {
	From   time.Duration `json:"from_ns"`
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
			Pending: s.Pending, MaxPending: s.MaxPending, Stopped: s.Stopped,
			Expired: s.Expired, Rejected: s.Rejected, Panics: s.Panics,
			Wakeups: s.Wakeups, Lag: s.Lag, MaxLag: s.MaxLag, Overdue: s.Overdue,
		},
		Lags: newLags(s.LagCounts),
	}
	r.Due = countDue(dueRows(tm.Tick()), sample, tm.Now())
	r.Tasks = countTasks(sample)
	r.scale()
	return r
}

// estimated reports whether more timeouts were pending than the sample has.
func (r *timerReport) estimated() bool { return r.Stats.Pending > sampleSize && r.Sampled > 0 }

// scale turns the counts of the sample into estimates for all pending timeouts.
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

// countDue counts the deadlines of a sample into sorted rows.
func countDue(rows []dueRow, sample []hashedwheel.Sampled, now time.Time) []dueRow {
	for _, s := range sample {
		in := s.Deadline.Sub(now)
		i, _ := slices.BinarySearchFunc(rows, in, func(r dueRow, d time.Duration) int {
			return cmp.Compare(r.Within, d)
		})
		rows[min(i, len(rows)-1)].Count++
	}
	return rows
}

// countTasks counts a sample by the names of its tasks, the most frequent first.
func countTasks(sample []hashedwheel.Sampled) []taskRow {
	kinds := make(map[string]int)
	for _, s := range sample {
		kinds[s.Name]++
	}
	counts := make(map[string]int)
	for name, n := range kinds {
		counts[readable(name)] += n
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
