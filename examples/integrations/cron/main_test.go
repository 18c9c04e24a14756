package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// In a bubble the real clock is virtual, so the test is quick.
func TestRunKeepsBothSchedules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := exampletest.Output(t, run, "-runs 20")
		require.Contains(t, out, "Fri 27 Mar 09:30:00 CET    08:30 UTC")
		require.Contains(t, out, "Mon 30 Mar 09:30:00 CEST   07:30 UTC")
		require.Equal(t, 20, strings.Count(out, " late\n"))
	})
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-runs 0":    "-runs 0",
		"-tick 99us": "-tick 99µs",
		"-tick 1s":   "-tick 1s",
	})
}

func TestScheduleRunsAtItsTimes(t *testing.T) {
	newYear := time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		line   string
		length time.Duration
		want   []string
	}{
		"every quarter of an hour": {"*/15 * * * *", time.Hour, []string{"00:15", "00:30", "00:45", "01:00"}},
		"a descriptor":             {"@midnight", 48 * time.Hour, []string{"00:00", "00:00"}},
		"a period":                 {"@every 20m", time.Hour, []string{"00:20", "00:40", "01:00"}},
		"a day that is not":        {"0 0 30 2 *", 24 * time.Hour, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			runs, err := runsOf(tt.line, newYear, tt.length)
			require.NoError(t, err)
			var got []string
			for _, at := range runs {
				got = append(got, at.Format("15:04"))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestScheduleWithoutATimeIsNotPending(t *testing.T) {
	timer := hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
	schedule, err := cron.ParseStandard("0 0 30 2 *") // February the 30th
	require.NoError(t, err)
	require.Zero(t, timer.Recur(schedule, func(*hashedwheel.Series) {}).Next())
	require.Zero(t, timer.Pending())
}

func TestWrongLineIsAnError(t *testing.T) {
	_, err := runsOf("every now and then", time.Now(), time.Hour)
	require.Error(t, err)
}

func TestMissingRunIsNoticed(t *testing.T) {
	require.ErrorContains(t, checkWeek(nil, time.UTC), "the week ran at")
}

func TestOverdueRunIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := watch(io.Discard, make(chan time.Time), 1)
		require.ErrorContains(t, err, "0 runs of 1")
	})
}

func TestTwoRunsInASecondAreNoticed(t *testing.T) {
	second := time.Date(2027, time.January, 1, 0, 0, 1, 0, time.UTC)
	require.NoError(t, checkSeconds([]time.Time{second, second.Add(time.Second)}))
	require.ErrorContains(t, checkSeconds([]time.Time{second, second.Add(999 * time.Millisecond)}), "two runs")
}
