package inspect

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"time"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	styleText string
	//go:embed script.js
	scriptText string
)

// page writes reports as HTML.
type page struct {
	template *template.Template
	policy   string // with it, a browser uses only the style and script in the page
}

func newPage() *page {
	return &page{
		template: template.Must(template.New("page").Parse(pageText)),
		policy: "default-src 'none'; style-src " + hash(styleText) + "; script-src " + hash(scriptText) +
			"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
}

// hash returns the source expression of a text in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// view is the data of the template.
type view struct {
	Style   template.HTML
	Script  template.HTML
	Time    time.Time
	Elapsed string // the time that rates cover; empty if it is too short
	Ready   string // the ready goroutines and the processors
	Timers  []timerView
}

type timerView struct {
	Name     string
	Stopped  bool
	Figures  []figure
	Sampled  int
	About    string // the size of the sample if the counts are estimates
	Tasks    []taskView
	Due      picture
	Lateness []latenessRow // empty if no task has been dispatched
	Late     picture
}

// A latenessRow has the longest wait of half and of 99% of all.
type latenessRow struct{ What, Half, Most string }

// maxTasks is the number of kinds of tasks that have a separate row on the page.
const maxTasks = 20

type taskView struct {
	Name   string
	Count  string
	Share  float64 // percent of all pending tasks
	Others bool    // the row of all other kinds
}

func (p *page) write(w io.Writer, now, before look) error {
	v := view{
		Style:  template.HTML("<style>" + styleText + "</style>"),
		Script: template.HTML("<script>" + scriptText + "</script>"),
		Time:   now.Time,
		Ready:  now.readiness(),
	}
	elapsed := now.Time.Sub(before.Time)
	if elapsed >= briefest {
		v.Elapsed = span(elapsed)
	}
	waited := now.waited.since(before.waited)
	for i, r := range now.Timers {
		v.Timers = append(v.Timers, newTimerView(r, before.Timers[i], elapsed, waited))
	}
	return p.template.Execute(w, v)
}

func newTimerView(r, before timerReport, elapsed time.Duration, waited waits) timerView {
	v := timerView{
		Name:    r.Name,
		Stopped: r.Stats.Stopped,
		Figures: figures(r, before.Stats, elapsed),
		Sampled: r.Sampled,
		Tasks:   taskViews(r),
		Due:     newPicture(r),
		Late:    newLatePicture(r.Stats.Lateness),
	}
	if r.Stats.Expired > 0 {
		v.Lateness = latenessRows(r.Stats.Lateness, before.Stats.Lateness, elapsed, waited)
	}
	if r.estimated() {
		v.About = count(uint64(r.Sampled))
	}
	return v
}

func taskViews(r timerReport) (rows []taskView) {
	total, others := 0, 0
	for i, t := range r.Tasks {
		total += t.Count
		if i >= maxTasks {
			others += t.Count
		}
	}
	for _, t := range r.Tasks[:min(maxTasks, len(r.Tasks))] {
		share := 100 * float64(t.Count) / float64(total)
		rows = append(rows, taskView{Name: t.Name, Count: r.number(uint64(t.Count)), Share: share})
	}
	if kinds := len(r.Tasks) - len(rows); kinds > 0 {
		rows = append(rows, taskView{Name: fmt.Sprint(kinds, " others"), Count: r.number(uint64(others)), Others: true})
	}
	return rows
}

// latenessRows compares tasks with all goroutines, which shows whether the worker is blocked or the process too busy.
func latenessRows(l, before waits, elapsed time.Duration, waited waits) []latenessRow {
	rows := []latenessRow{{"tasks, since the start", l.within(0.5), l.within(0.99)}}
	if elapsed < briefest {
		return rows
	}
	over := ", over the last " + span(elapsed)
	l = l.since(before)
	return append(rows,
		latenessRow{"tasks" + over, l.within(0.5), l.within(0.99)},
		latenessRow{"goroutines' wait for a processor" + over, waited.within(0.5), waited.within(0.99)})
}
