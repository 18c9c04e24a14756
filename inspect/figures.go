package inspect

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A figure is a number of a timer, with a note in small print.
type figure struct {
	Label, Value, Note string
	Quiet              bool // shown in gray
	Alarm              bool
}

// hints explain the labels; a browser shows them under the pointer.
var hints = map[string]string{
	"Pending":  "armed timeouts that have not expired",
	"Expired":  "tasks handed to the executor",
	"Rejected": "calls refused because the timer was full or stopped",
	"Panics":   "tasks that panicked",
	"Overdue":  "how long the oldest due timeout has waited for its turn",
	"Tick":     "tasks are dispatched at most this late",
}

// Hint returns the meaning of the label.
func (f figure) Hint() string { return hints[f.Label] }

// figures returns the Stats of a timer as the page shows them.
func figures(r timerReport, before hashedwheel.Stats, elapsed time.Duration) []figure {
	s := r.Stats
	return []figure{
		{Label: "Pending", Value: count(uint64(s.Pending)), Note: fullness(s), Quiet: s.Pending == 0},
		flow("Expired", before.Expired, s.Expired, elapsed),
		event("Rejected", before.Rejected, s.Rejected, elapsed),
		event("Panics", before.Panics, s.Panics, elapsed),
		overdue(s.Overdue, r.Tick),
		{Label: "Tick", Value: span(r.Tick), Note: wakeups(before.Wakeups, s.Wakeups, elapsed)},
	}
}

// fullness returns how much of the bound is in use, if there is one.
func fullness(s hashedwheel.Stats) string {
	if s.MaxPending == 0 {
		return ""
	}
	return percent(s.Pending, s.MaxPending) + " of " + count(uint64(s.MaxPending))
}

// flow is a counter that usually grows. Its rate is shown first.
func flow(label string, before, now uint64, elapsed time.Duration) figure {
	perSecond, ok := rate(before, now, elapsed)
	f := figure{Label: label, Value: "–", Note: count(now) + " in all", Quiet: perSecond == 0}
	if ok {
		f.Value = speed(perSecond)
	}
	return f
}

// event is a counter that should not grow. It is red while it grows.
func event(label string, before, now uint64, elapsed time.Duration) figure {
	f := figure{Label: label, Value: count(now), Quiet: now == 0, Alarm: now > before}
	if perSecond, _ := rate(before, now, elapsed); perSecond > 0 {
		f.Note = speed(perSecond)
	}
	return f
}

func overdue(d, tick time.Duration) figure {
	switch {
	case d <= 0:
		return figure{Label: "Overdue", Value: "none", Quiet: true}
	case d > 2*tick:
		return figure{Label: "Overdue", Value: span(d), Note: "over two ticks", Alarm: true}
	}
	return figure{Label: "Overdue", Value: span(d), Quiet: d <= tick}
}

func wakeups(before, now uint64, elapsed time.Duration) string {
	perSecond, ok := rate(before, now, elapsed)
	if !ok {
		return ""
	}
	return speed(perSecond) + " wake-ups"
}
