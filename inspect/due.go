package inspect

import "time"

const (
	day     = 24 * time.Hour
	year    = 365 * day
	forever = 20 * year // no deadline of a Timer is further away, and no tick longer
)

// steps are round times, each two to four times the step before, so that they are about evenly
// spaced on a logarithmic axis.
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

// dueRows returns empty rows for a timer: up to the next tick, then the steps up to a year, then all
// later times.
func dueRows(tick time.Duration) []dueRow {
	rows := []dueRow{{Within: tick}}
	next := func(within time.Duration) {
		rows = append(rows, dueRow{From: rows[len(rows)-1].Within, Within: within})
	}
	for _, step := range steps {
		if step >= tick+tick/2 { // a smaller step would be a sliver in the picture
			next(step)
		}
	}
	next(forever)
	return rows
}
