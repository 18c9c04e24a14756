package inspect_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// shown returns a figure of the first timer on a page, as "value" or "value (note)", and its CSS
// class.
func shown(t *testing.T, page, label string) (text, class string) {
	t.Helper()
	all := find(page, `<div class="(.*?)"><dt title="[^"]+">`+label+`</dt><dd>(.*?)(?: <small>(.*?)</small>)?</dd>`)
	require.NotEmpty(t, all, label)
	m := all[0]
	if m[3] == "" {
		return html.UnescapeString(m[2]), m[1]
	}
	return html.UnescapeString(m[2] + " (" + m[3] + ")"), m[1]
}

func TestPageHasAllFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1234), survives)
		defer tm.Stop()
		h := inspect.Handler(timers{"sessions": tm})
		tm.AfterFunc(time.Second, func() { panic("a task that fails") })
		for range 1234 { // one too many
			tm.AfterFunc(time.Hour, func() {})
		}
		time.Sleep(2 * time.Second)
		got := page(h)
		for label, want := range map[string]string{
			"Pending":  "1,233 (99% of 1,234)",
			"Expired":  "0.5/s (1 in all)",
			"Rejected": "1 (0.5/s)",
			"Panics":   "1 (0.5/s)",
			"Lag":      "0 (worst 0)",
			"Overdue":  "none",
		} {
			text, _ := shown(t, got, label)
			assert.Equal(t, want, text, label)
		}
		text, _ := shown(t, got, "Tick")
		assert.Regexp(t, `^100 ms \(.*/s wake-ups\)$`, text)
		assert.Contains(t, got, "rates over the last 2 s")
	})
}

func TestRatesAreSinceTheLastLookByAnyClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		begin := time.Now()
		h := inspect.Handler(timers{"sessions": tm})
		expired := 0
		for _, look := range []struct {
			at, since time.Duration
			expire    int // before it
			want      string
		}{
			{at: 100 * time.Millisecond, since: 0, want: "–"}, // too short for a rate
			{at: 2 * time.Second, since: 0, expire: 10, want: "5.0/s"},
			{at: 2500 * time.Millisecond, since: 0, want: "4.0/s"}, // less than a second later: the same look
			{at: 4 * time.Second, since: 2 * time.Second, expire: 100, want: "50/s"},
			{at: 5 * time.Second, since: 4 * time.Second, want: "0/s"},
			{at: 15 * time.Second, since: 5 * time.Second, expire: 43_210, want: "4,321/s"},
			{at: 35 * time.Second, since: 15 * time.Second, expire: 1, want: "<0.1/s"},
		} {
			for range look.expire {
				tm.AfterFunc(0, func() {})
			}
			expired += look.expire
			time.Sleep(time.Until(begin.Add(look.at)))
			synctest.Wait()
			_ = readReport(t, h) // is no look at the page
			got := page(h)
			text, class := shown(t, got, "Expired")
			value, note, _ := strings.Cut(text, " (")
			assert.Equal(t, look.want, value, look.at)
			assert.Equal(t, strconv.Itoa(expired), strings.ReplaceAll(strings.TrimSuffix(note, " in all)"), ",", ""))
			assert.Equal(t, look.want == "–" || look.want == "0/s", class == "quiet", look.at)
			over := fmt.Sprintf("rates over the last %v s", (look.at - look.since).Seconds())
			assert.Equal(t, look.want != "–", strings.Contains(got, over), look.at)
		}
	})
}

// Overdue grows while an inline task holds up the worker.
func TestOverdueIsRedBeyondTwoTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() })))
		defer tm.Stop()
		h := inspect.Handler(timers{"calls": tm})
		release := make(chan struct{})
		tm.AfterFunc(time.Second, func() { <-release })
		tm.AfterFunc(1100*time.Millisecond, func() {}) // waits for that
		for _, look := range []struct {
			after time.Duration
			text  string
			class string
		}{
			{1050 * time.Millisecond, "none", "quiet"},
			{1250 * time.Millisecond, "150 ms", ""},
			{1300 * time.Millisecond, "200 ms", ""}, // two ticks, not more
			{1310 * time.Millisecond, "210 ms (over two ticks)", "alarm"},
			{9 * time.Second, "7.9 s (over two ticks)", "alarm"},
		} {
			time.Sleep(look.after - tm.Now().Sub(start))
			text, class := shown(t, page(h), "Overdue")
			assert.Equal(t, look.text, text, look.after)
			assert.Equal(t, look.class, class, look.after)
		}
		close(release)
		synctest.Wait()
		time.Sleep(time.Second)
		text, _ := shown(t, page(h), "Overdue")
		assert.Equal(t, "none", text)
	})
}

func TestRejectedAndPanicsAreRedWhileTheyGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1), survives)
		defer tm.Stop()
		h := inspect.Handler(timers{"calls": tm})
		look := func(label, text, class string) {
			t.Helper()
			gotText, gotClass := shown(t, page(h), label)
			assert.Equal(t, text, gotText, label)
			assert.Equal(t, class, gotClass, label)
		}
		look("Rejected", "0", "quiet")
		tm.AfterFunc(time.Second, func() { panic("a task that fails") })
		tm.AfterFunc(time.Second, func() {}) // one too many
		look("Rejected", "1", "alarm")       // too soon for a rate
		look("Panics", "0", "quiet")
		time.Sleep(2 * time.Second)
		look("Rejected", "1 (0.5/s)", "alarm")
		look("Panics", "1 (0.5/s)", "alarm")
		time.Sleep(2 * time.Second)
		look("Rejected", "1", "")
		look("Panics", "1", "")
	})
}

func TestBoundedTimerShowsHowFullItIs(t *testing.T) {
	for pending, want := range map[int]string{
		0: "0 (0% of 1,000)", 4: "4 (0.4% of 1,000)", 99: "99 (9.9% of 1,000)",
		999: "999 (99% of 1,000)", 1000: "1,000 (100% of 1,000)",
	} {
		tm, _ := newTimer(t, hashedwheel.WithMaxPending(1000))
		for range pending {
			tm.AfterFunc(time.Hour, func() {})
		}
		text, _ := shown(t, page(inspect.Handler(timers{"calls": tm})), "Pending")
		assert.Equal(t, want, text)
	}
}

func TestStoppedTimerIsShownAsStopped(t *testing.T) {
	tm, _ := newTimer(t)
	tm.AfterFunc(time.Hour, func() {})
	h := inspect.Handler(timers{"calls": tm})
	const heading = `<h2>calls <small class="stopped">stopped</small></h2>`
	assert.NotContains(t, page(h), heading)
	assert.False(t, readReport(t, h).Timers[0].Stats.Stopped)
	tm.Stop()
	assert.Contains(t, page(h), heading)
	assert.True(t, readReport(t, h).Timers[0].Stats.Stopped)
}

// start is when every bubble begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestTimesAreShownInTheFittingUnit(t *testing.T) {
	for tick, want := range map[time.Duration]string{
		100 * time.Microsecond:  "100 µs",
		1234 * time.Microsecond: "1.2 ms",
		9940 * time.Microsecond: "9.9 ms",
		9960 * time.Microsecond: "10 ms",
		15 * time.Millisecond:   "15 ms",
		time.Second:             "1 s",
		90 * time.Second:        "1.5 min",
		36 * time.Hour:          "1.5 d",
		10 * time.Hour:          "10 h",
		730 * day:               "2 y",
	} {
		tm, _ := newTimer(t, hashedwheel.WithTick(tick))
		text, _ := shown(t, page(inspect.Handler(timers{"one": tm})), "Tick")
		assert.Equal(t, want, text)
	}
}

func TestPageSaysThatNothingIsPending(t *testing.T) {
	assert.Contains(t, page(inspect.Handler(nil)), "No timers.")
	tm, _ := newTimer(t)
	got := page(inspect.Handler(timers{"idle": tm}))
	assert.Contains(t, got, "Nothing is pending.")
	assert.NotContains(t, got, "<svg class=\"picture\"")
	assert.NotContains(t, got, "How late", "no task was handed out")
}

func TestRareKindsOfTasksShareARow(t *testing.T) {
	tm, _ := newTimer(t)
	for i := range 25 {
		for range 25 - i {
			_, _ = tm.Schedule(time.Hour, numbered[i])
		}
	}
	got := page(inspect.Handler(timers{"many": tm}))
	rows := find(got, `<tr><th scope="row">([^<]*) <small>numbered_test.go:\d+</small></th><td class="share">`)
	require.Len(t, rows, 20)
	assert.Contains(t, rows[0][1], "inspect_test.init")
	assert.Contains(t, got, `<th scope="row">5 others</th><td class="share"></td><td class="count">15</td>`)
}
