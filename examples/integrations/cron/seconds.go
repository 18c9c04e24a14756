package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/robfig/cron/v3"
)

// everySecond is a line with a field for seconds in front, as crontab has not.
const everySecond = "* * * * * *"

// withSeconds parses such a line.
var withSeconds = cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// showSeconds runs the schedule of every second on the clock of the machine.
func showSeconds(w io.Writer, cfg config) error {
	schedule, err := withSeconds.Parse(everySecond)
	if err != nil {
		return err
	}
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return err
	}
	defer timer.Stop()

	fmt.Fprintf(w, "\n%d runs of %q\n\n", cfg.runs, everySecond)
	runs := make(chan time.Time, cfg.runs)
	series := timer.Recur(schedule, func(*hashedwheel.Series) {
		select {
		case runs <- time.Now():
		default: // one run more than asked for
		}
	})
	seen, err := watch(w, runs, cfg.runs)
	if !series.Stop() {
		err = errors.Join(err, errors.New("the series had ended before it was stopped"))
	}
	return errors.Join(err, checkSeconds(seen))
}

// watch prints the runs as they come, until there are n.
func watch(w io.Writer, runs <-chan time.Time, n int) (seen []time.Time, err error) {
	overdue := time.NewTimer(time.Duration(n)*time.Second + grace)
	defer overdue.Stop()
	for len(seen) < n {
		select {
		case at := <-runs:
			seen = append(seen, at)
			late := at.Sub(at.Truncate(time.Second)).Round(10 * time.Microsecond)
			fmt.Fprintf(w, "  %s   %v late\n", at.Format("15:04:05"), late)
		case <-overdue.C:
			return seen, fmt.Errorf("%d runs of %d came in time", len(seen), n)
		}
	}
	return seen, nil
}

// checkSeconds returns an error if two runs were for the same second: then one of
// them was early. That one was left out is no error: a run that is still on when
// the next is due leaves that one out.
func checkSeconds(runs []time.Time) error {
	for i := 1; i < len(runs); i++ {
		if !runs[i].Truncate(time.Second).After(runs[i-1].Truncate(time.Second)) {
			return fmt.Errorf("two runs in the second of %s", runs[i].Format("15:04:05"))
		}
	}
	return nil
}
