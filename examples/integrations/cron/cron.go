// Package cron runs functions at the times of a crontab line, which github.com/robfig/cron parses.
package cron

import (
	"github.com/hashedwheel/hashedwheel"
	"github.com/robfig/cron/v3"
)

// Recur runs f on tm at the times of a line such as "30 9 * * MON-FRI" or "@every 20m". The times are in the time zone
// of the Timer's clock, or in another zone if the line begins with, for example, "CRON_TZ=Europe/Berlin ". A run that
// is due before the last run has returned is skipped. Series.Stop ends the series. A line that has no time in the next
// five years ends it at once.
//
// A cron.Schedule fits hashedwheel.Scheduler without an adapter. Recur uses nothing else of package cron.
func Recur(tm *hashedwheel.Timer, line string, f func(*hashedwheel.Series)) (*hashedwheel.Series, error) {
	schedule, err := cron.ParseStandard(line)
	if err != nil {
		return nil, err
	}
	s := tm.Recur(schedule, f)
	return s, s.Err()
}
