package inspect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// sampleSize is large enough for a share of one in a hundred to be right within a third (four standard deviations), and
// small enough for the sample to be named and sorted in a few milliseconds.
const sampleSize = 16_384

// A report is encoded as JSON, and is the source of the page.
type report struct {
	Time   time.Time     `json:"time"`
	Timers []timerReport `json:"timers"`
}

type timerReport struct {
	Name    string            `json:"name"`
	Tick    time.Duration     `json:"tick_ns"`
	Sampled int               `json:"sampled"`
	Stats   hashedwheel.Stats `json:"stats"`
	Due     []dueRow          `json:"due"`
	Tasks   []taskRow         `json:"tasks"`
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

func newReport(timers []named) report {
	r := report{Time: time.Now(), Timers: make([]timerReport, len(timers))}
	for i, t := range timers {
		r.Timers[i] = newTimerReport(t.name, t.timer)
	}
	return r
}

func newTimerReport(name string, tm *hashedwheel.Timer) timerReport {
	stats := tm.Stats()
	sample := tm.Sample(sampleSize)
	r := timerReport{Name: name, Tick: tm.Tick(), Sampled: len(sample), Stats: stats}
	r.Due = countDue(dueRows(tm.Tick()), sample, tm.Now())
	r.Tasks = countTasks(sample)
	r.scale()
	return r
}

// estimated reports whether more timeouts are pending than the sample has.
func (r *timerReport) estimated() bool { return r.Stats.Pending > sampleSize && r.Sampled > 0 }

// scale scales the counts of the sample to estimates for all pending timeouts.
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

const (
	day     = 24 * time.Hour
	year    = 365 * day
	forever = 20 * year // no deadline of a Timer is further away, and no tick longer
)

// steps are round times, each two to four times the last, so that they are about evenly spaced on a logarithmic axis.
var steps = [...]time.Duration{
	200 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, time.Minute,
	2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 3 * day, 10 * day, 30 * day, 90 * day, 180 * day, year,
}

// dueRows returns empty rows for a timer: one up to a tick, one for each step up to a year, and one for later times.
func dueRows(tick time.Duration) []dueRow {
	rows := []dueRow{{Within: tick}}
	next := func(within time.Duration) {
		rows = append(rows, dueRow{From: rows[len(rows)-1].Within, Within: within})
	}
	for _, step := range steps {
		if step >= tick+tick/2 { // a smaller step would be too narrow in the picture
			next(step)
		}
	}
	next(forever)
	return rows
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
