package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/robfig/cron/v3"
)

// weekdays is a crontab line. Without CRON_TZ it uses the time zone of the Timer's clock.
const weekdays = "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI"

// showWeek runs the weekday schedule for a week.
func showWeek(w io.Writer) error {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	wednesday := time.Date(2026, time.March, 25, 0, 0, 0, 0, time.UTC) // clocks change on Sunday the 29th
	fmt.Fprintf(w, "a week of %q\n\n", weekdays)
	runs, err := runsOf(weekdays, wednesday, 7*24*time.Hour)
	if err != nil {
		return err
	}
	for _, at := range runs {
		fmt.Fprintf(w, "  %-24s   %s\n", at.In(berlin).Format("Mon 02 Jan 15:04:05 MST"), at.Format("15:04 MST"))
	}
	return checkWeek(runs, berlin)
}

// runsOf returns the times of a schedule's runs. The clock's Advance stops at every run, and with
// Inline the run has returned before Advance goes on.
func runsOf(line string, start time.Time, length time.Duration) (runs []time.Time, err error) {
	schedule, err := cron.ParseStandard(line)
	if err != nil {
		return nil, err
	}
	clock := hashedwheel.NewManualClock(start)
	timer, err := hashedwheel.New(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	if err != nil {
		return nil, err
	}
	defer timer.Stop()

	timer.Recur(schedule, func(*hashedwheel.Series) { runs = append(runs, clock.Now()) })
	clock.Advance(length)
	return runs, nil
}

// checkWeek returns an error unless the runs were at 09:30 on the five weekdays.
func checkWeek(runs []time.Time, zone *time.Location) error {
	want := []string{"Wed 09:30:00", "Thu 09:30:00", "Fri 09:30:00", "Mon 09:30:00", "Tue 09:30:00"}
	var got []string
	for _, at := range runs {
		got = append(got, at.In(zone).Format("Mon 15:04:05"))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the week ran at %q, not at %q", got, want)
	}
	return nil
}
