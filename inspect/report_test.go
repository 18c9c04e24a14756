package inspect_test

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

const day = 24 * time.Hour

func TestReportFieldsAreInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(400 * day))
		tm.AfterFunc(time.Hour, new(session).expire)
		got := get(inspect.Handler(timers{"sessions": tm}), "/?format=json").Body.String()
		tm.Stop()
		got = regexp.MustCompile(`Z?[+-]\d\d:\d\d"`).ReplaceAllString(got, `Z"`)
		got = regexp.MustCompile(`(":100000,"count":0\},).*(\{"up_to_ns":26)`).ReplaceAllString(got, "$1 and so on$2")
		assert.Equal(t, `{"time":"2000-01-01T00:00:00Z",`+
			`"timers":[{"name":"sessions","tick_ns":34560000000000000,"sampled":1,`+
			`"stats":{"pending":1,"max_pending":0,"stopped":false,"expired":0,"rejected":0,"panics":0,`+
			`"wakeups":0,"lateness":[{"up_to_ns":100000,"count":0}, and so on`+
			`{"up_to_ns":26214400000,"count":0},{"up_to_ns":9223372036854775807,"count":0}],`+
			`"lateness_sum_ns":0,"overdue_ns":0},`+
			`"due":[{"from_ns":0,"within_ns":34560000000000000,"count":1},`+
			`{"from_ns":34560000000000000,"within_ns":630720000000000000,"count":0}],`+
			`"tasks":[{"name":"inspect_test.(*session).expire","count":1}]}]}`+"\n", got)
	})
}

func TestReportStatsAreTheStatsOfTheTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithMaxPending(3), survives)
		defer tm.Stop()
		tm.AfterFunc(time.Second-5*time.Millisecond, func() { panic("a task that fails") })
		tm.AfterFunc(time.Hour, func() {}).Stop()
		for range 3 {
			tm.AfterFunc(time.Hour, func() {}) // one too many
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h := inspect.Handler(timers{"full": tm})
		got := readReport(t, h).Timers[0]
		s := tm.Stats()
		want := stats{
			Pending: 2, MaxPending: 3, Expired: 1, Rejected: 1, Panics: 1, Wakeups: s.Wakeups,
			LatenessSumNS: int64(5 * time.Millisecond), OverdueNS: int64(s.Overdue),
		}
		for _, b := range s.Lateness {
			want.Lateness = append(want.Lateness, latenessBucket{int64(b.UpTo), b.Count})
		}
		assert.Equal(t, want, got.Stats)
		assert.Equal(t, int64(10*time.Millisecond), got.TickNS)
		tm.Stop()
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

func TestDueRowsGoFromATickToForever(t *testing.T) {
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
				assert.GreaterOrEqual(t, 2*row.WithinNS, 3*rows[i].WithinNS, "a sliver in the picture")
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
	_, err := tm.Schedule(time.Hour, &login{})
	require.NoError(t, err)
	const literals = "inspect_test.TestTasksAreCountedByName.func"
	assert.Equal(t, []taskRow{
		{"inspect_test.(*session).expire", 3},
		{"*inspect_test.session", 2},
		{fmt.Sprintf("%s1 (report_test.go:%d)", literals, line-1), 1},
		{fmt.Sprintf("%s2 (report_test.go:%d)", literals, line+1), 1},
		{"inspect_test.tick", 1},
		{"login code", 1},
	}, readReport(t, inspect.Handler(timers{"all": tm})).Timers[0].Tasks)
}

// login is a task with a name.
type login struct{ session }

func (*login) TaskName() string { return "login code" }

func TestCountsWithinTheSampleSizeAreExact(t *testing.T) {
	tm, _ := newTimer(t)
	for range 16_384 {
		tm.AfterFunc(time.Hour, new(session).expire)
	}
	h := inspect.Handler(timers{"all": tm})
	r := readReport(t, h).Timers[0]
	assert.Equal(t, 16_384, r.Sampled)
	assert.Equal(t, []taskRow{{"inspect_test.(*session).expire", 16_384}}, r.Tasks)
	assert.NotContains(t, page(h), "about")
	assert.NotContains(t, page(h), "estimated")
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
