package inspect

import "time"

// A figure is one of a timer's numbers, with what explains it in small print.
type figure struct {
	Label, Value, Note string
	Quiet              bool // nothing to see
	Alarm              bool
}

// hints say what a label means, to a pointer that rests on it.
var hints = map[string]string{
	"Pending":   "armed and not settled",
	"Expired":   "handed to the executor",
	"Cancelled": "stopped, and let go of by the wheel",
	"Rejected":  "refused: the timer was full or stopped",
	"Panics":    "tasks that panicked",
	"Lag":       "how late the last batch was handed out",
	"Overdue":   "how long the oldest due timeout has been waiting for its turn",
	"Tick":      "a task starts at most this late",
}

// Hint says what the figure means.
func (f figure) Hint() string { return hints[f.Label] }

// figures returns what Stats says of a timer.
func figures(r timerReport, before stats, elapsed time.Duration) []figure {
	s := r.Stats
	return []figure{
		{Label: "Pending", Value: count(uint64(s.Pending)), Quiet: s.Pending == 0},
		flow("Expired", before.Expired, s.Expired, elapsed),
		flow("Cancelled", before.Cancelled, s.Cancelled, elapsed),
		event("Rejected", before.Rejected, s.Rejected, elapsed),
		event("Panics", before.Panics, s.Panics, elapsed),
		{Label: "Lag", Value: span(s.Lag), Note: "worst " + span(s.MaxLag), Quiet: s.Lag == 0},
		overdue(s.Overdue, r.Tick),
		{Label: "Tick", Value: span(r.Tick), Note: wakeups(before.Wakeups, s.Wakeups, elapsed)},
	}
}

// flow is a counter of what happens all the time: how fast it grows says more than
// what it is.
func flow(label string, before, now uint64, elapsed time.Duration) figure {
	perSecond, ok := rate(before, now, elapsed)
	f := figure{Label: label, Value: "–", Note: count(now) + " in all", Quiet: perSecond == 0}
	if ok {
		f.Value = speed(perSecond)
	}
	return f
}

// event is a counter of what should not happen often.
func event(label string, before, now uint64, elapsed time.Duration) figure {
	f := figure{Label: label, Value: count(now), Quiet: now == 0}
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
