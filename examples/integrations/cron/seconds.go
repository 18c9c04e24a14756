package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/robfig/cron/v3"
)

// everySecond begins with a field for seconds, which crontab does not have.
const everySecond = "* * * * * *"

// withSeconds parses lines with a field for seconds.
var withSeconds = cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// showSeconds runs the schedule of every second on the real clock.
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
		default: // one run too many
		}
	})
	seen, err := watch(w, runs, cfg.runs)
	if !series.Stop() {
		err = errors.Join(err, errors.New("the series had ended before it was stopped"))
	}
	return errors.Join(err, checkSeconds(seen))
}

// watch prints n runs.
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
			return seen, fmt.Errorf("%d runs of %d in time", len(seen), n)
		}
	}
	return seen, nil
}

// checkSeconds returns an error if two runs had the same second, since one was early. A run that is
// left out, because the run before took longer, is not an error.
func checkSeconds(runs []time.Time) error {
	for i := 1; i < len(runs); i++ {
		if !runs[i].Truncate(time.Second).After(runs[i-1].Truncate(time.Second)) {
			return fmt.Errorf("two runs in the second of %s", runs[i].Format("15:04:05"))
		}
	}
	return nil
}
