// Package cron runs functions at the times of a crontab line, which github.com/robfig/cron parses.
package cron

import (
	"github.com/hashedwheel/hashedwheel"
	"github.com/robfig/cron/v3"
)

// Recur has tm run f at the times of a line such as "30 9 * * MON-FRI" or "@every 20m", in the time zone of the Timer's
// clock, or in another with "CRON_TZ=Europe/Berlin " before the line. A run that is due before the last one has
// returned is left out. Stop of the Series ends it. A line without a time in the next five years ends it at once.
//
// A cron.Schedule is a hashedwheel.Scheduler as it is: nothing else of that library is used.
func Recur(tm *hashedwheel.Timer, line string, f func(*hashedwheel.Series)) (*hashedwheel.Series, error) {
	schedule, err := cron.ParseStandard(line)
	if err != nil {
		return nil, err
	}
	s := tm.Recur(schedule, f)
	return s, s.Err()
}
