package inspect_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

const day = 24 * time.Hour

func TestReportStatsAreTheStatsOfTheTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithMaxPending(3), survives)
		defer tm.StopAll()
		late := new(hashedwheel.Timeout).InitFunc(tm, func() { panic("a task that fails") })
		late.ResetAt(time.Now().Add(-time.Microsecond))
		tm.AfterFunc(time.Hour, func() {}).Stop()
		for range 3 {
			_, _ = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})) // the last is refused
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h := inspect.Handler(timers{"full": tm})
		r := readReport(t, h)
		assert.WithinDuration(t, time.Now(), r.Time, 0)
		got := r.Timers[0]
		s := tm.Stats()
		want := stats{
			Pending: 2, MaxPending: 3, Expired: 1, Rejected: 1, Panics: 1, Wakeups: s.Wakeups,
			LatenessSumNS: int64(s.LatenessSum), OverdueNS: int64(s.Overdue),
		}
		for _, b := range s.Lateness {
			want.Lateness = append(want.Lateness, latenessBucket{int64(b.UpTo), b.Count})
		}
		assert.NotZero(t, s.LatenessSum)
		assert.Equal(t, want, got.Stats)
		assert.Equal(t, int64(10*time.Millisecond), got.TickNS)
		tm.StopAll()
		assert.True(t, readReport(t, h).Timers[0].Stats.Stopped)
	})
}

func TestTimersAreSortedByNameAndTheirMapIsCopied(t *testing.T) {
	tm, _ := newTimer(t)
	all := timers{"b": tm, "": tm, "a": tm, "B": tm}
	h := inspect.Handler(all)
	clear(all)
	var names []string
	for _, timer := range readReport(t, h).Timers {
		names = append(names, timer.Name)
	}
	assert.Equal(t, []string{"", "B", "a", "b"}, names)
}

func TestEmptyListsAreNotNull(t *testing.T) {
	tm, _ := newTimer(t)
	assert.Contains(t, get(inspect.Handler(nil), "/?format=json").Body.String(), `"timers":[]`)
	assert.Contains(t, get(inspect.Handler(timers{"idle": tm}), "/?format=json").Body.String(), `"tasks":[]`)
}

func TestTimeoutIsInTheRowOfItsDueTime(t *testing.T) {
	tests := []struct {
		in   time.Duration
		want time.Duration // within_ns of the row
	}{
		{-time.Hour, time.Millisecond},
		{0, time.Millisecond},
		{100 * time.Millisecond, 100 * time.Millisecond},
		{101 * time.Millisecond, 200 * time.Millisecond},
		{time.Second, time.Second},
		{time.Second + 1, 2 * time.Second},
		{59 * time.Minute, time.Hour},
		{29 * day, 30 * day},
		{365 * day, 365 * day},
		{366 * day, 20 * 365 * day},
		{math.MaxInt64, 20 * 365 * day},
	}
	for _, tt := range tests {
		t.Run(tt.in.String(), func(t *testing.T) {
			tm, clock := newTimer(t)
			clock.Advance(time.Hour)
			tm.AfterFunc(tt.in, func() {})
			for _, row := range readReport(t, inspect.Handler(timers{"one": tm})).Timers[0].Due {
				want := 0
				if time.Duration(row.WithinNS) == tt.want {
					want = 1
				}
				assert.Equal(t, want, row.Count, time.Duration(row.WithinNS))
			}
		})
	}
}

func TestDueRowsCoverAllTimes(t *testing.T) {
	for _, tick := range []time.Duration{
		100 * time.Microsecond, 150 * time.Millisecond, time.Hour, 300 * day, 8 * 365 * day,
	} {
		tm, _ := newTimer(t, hashedwheel.WithTick(tick))
		rows := readReport(t, inspect.Handler(timers{"one": tm})).Timers[0].Due
		require.GreaterOrEqual(t, len(rows), 2)
		assert.Less(t, len(rows), 40)
		assert.Zero(t, rows[0].FromNS)
		assert.Equal(t, int64(tick), rows[0].WithinNS)
		assert.GreaterOrEqual(t, rows[len(rows)-1].WithinNS, int64(20*365*day))
		for i, row := range rows[1:] {
			assert.Equal(t, rows[i].WithinNS, row.FromNS, "there is no gap")
			require.Greater(t, row.WithinNS, rows[i].WithinNS)
			if i+2 < len(rows) {
				assert.GreaterOrEqual(t, 2*row.WithinNS, 3*rows[i].WithinNS, "the column is too narrow")
			}
		}
	}
}

func TestTasksAreCountedByName(t *testing.T) {
	tm, _ := newTimer(t)
	for range 3 {
		tm.AfterFunc(time.Hour, new(session).expire)
	}
	for range 2 {
		_, err := tm.Schedule(time.Hour, new(session))
		require.NoError(t, err)
	}
	tm.Every(time.Hour, tick)
	tm.AfterFunc(time.Hour, func() {})
	_, _, line, _ := runtime.Caller(0)
	tm.AfterFunc(time.Hour, func() {})
	for i := range 2 {
		_, err := tm.Schedule(time.Hour, &named{name: fmt.Sprint(strings.Repeat("x", 300), i)})
		require.NoError(t, err)
	}
	const literals = "inspect_test.TestTasksAreCountedByName.func"
	assert.Equal(t, []taskRow{
		{"inspect_test.(*session).expire", 3},
		{"*inspect_test.session", 2},
		{strings.Repeat("x", 199) + "…", 2},
		{fmt.Sprintf("%s1 (report_test.go:%d)", literals, line-1), 1},
		{fmt.Sprintf("%s2 (report_test.go:%d)", literals, line+1), 1},
		{"inspect_test.tick", 1},
	}, readReport(t, inspect.Handler(timers{"all": tm})).Timers[0].Tasks)
}

// named is a task with a TaskName.
type named struct {
	session
	name string
}

func (n *named) TaskName() string { return n.name }

func TestNamesAreShownWithoutControlCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"ü, 日本語, a b, 🕰":                                     "ü, 日本語, a b, 🕰",
		"a\x00b\nc\rd\te\x1b[31mf\x7f":                       "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD[31mf\uFFFD",
		"\u0085next line \u202eright to left \ufeffno width": "\uFFFDnext line \uFFFDright to left \uFFFDno width",
		"   ":                             `"   "`,
		"\xff\xfe, cut \xe6\x97":          "\uFFFD\uFFFD, cut \uFFFD\uFFFD",
		strings.Repeat("日", 200):          strings.Repeat("日", 200),
		strings.Repeat("日", 201):          strings.Repeat("日", 199) + "…",
		strings.Repeat("\xff", 1_000_000): strings.Repeat("\uFFFD", 199) + "…",
	} {
		tm, _ := newTimer(t)
		_, err := tm.Schedule(time.Hour, &named{name: name})
		require.NoError(t, err)
		r := readReport(t, inspect.Handler(timers{name: tm})).Timers[0]
		assert.Equal(t, []string{want, want}, []string{r.Name, r.Tasks[0].Name})
	}
}

func TestCountsBeyondTheSampleSizeAreEstimated(t *testing.T) {
	const pending = 98_765
	tm, _ := newTimer(t)
	for i := range pending {
		if i%4 == 0 {
			tm.AfterFunc(time.Minute, new(session).expire)
		} else {
			_, _ = tm.Schedule(time.Hour, new(session))
		}
	}
	h := inspect.Handler(timers{"all": tm})
	r := readReport(t, h).Timers[0]
	assert.Equal(t, 16_384, r.Sampled)
	require.Len(t, r.Tasks, 2)
	assert.Equal(t, "*inspect_test.session", r.Tasks[0].Name)
	assert.InEpsilon(t, pending*3/4, r.Tasks[0].Count, 0.1)
	assert.InEpsilon(t, pending/4, r.Tasks[1].Count, 0.2)
	for _, row := range r.Due {
		switch time.Duration(row.WithinNS) {
		case time.Minute:
			assert.InEpsilon(t, pending/4, row.Count, 0.2)
		case time.Hour:
			assert.InEpsilon(t, pending*3/4, row.Count, 0.1)
		default:
			assert.Zero(t, row.Count)
		}
	}
	assert.Contains(t, page(h), "estimated from a sample of")
}
