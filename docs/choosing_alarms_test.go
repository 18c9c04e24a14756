package docs

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/keyed"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// alarms returns the reasons to look at tm, and the Stats for the next call. late is how late, beyond the tick,
// tasks may be.
func alarms(
	tm *hashedwheel.Timer, last hashedwheel.Stats, late time.Duration,
) (now hashedwheel.Stats, reasons []string) {
	now = tm.Stats()
	check := func(isWrong bool, format string, args ...any) {
		if isWrong {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	check(now.Overdue > max(2*tm.Tick(), late), "the worker is blocked: a due timeout has waited for %v", now.Overdue)
	check(now.MaxLag > max(last.MaxLag, late), "tasks were handed out %v late", now.MaxLag)
	check(now.Rejected > last.Rejected, "%d armings were refused", now.Rejected-last.Rejected)
	check(now.Panics > last.Panics, "%d tasks panicked", now.Panics-last.Panics)
	isNearlyFull := 10*now.Pending > 9*now.MaxPending && now.MaxPending > 0
	check(isNearlyFull, "%d of %d timeouts are pending", now.Pending, now.MaxPending)
	return now, reasons
}

func TestAlarmsOfATimerThatIsWell(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(0, func() {})
		pass(time.Second)
		_, reasons := alarms(tm, hashedwheel.Stats{}, 20*time.Millisecond)
		assert.Empty(t, reasons)
	}, hashedwheel.WithMaxPending(10))
}

func TestAlarmsNameABlockedWorkerAndThenItsLateness(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 2 {
			tm.AfterFunc(0, func() { time.Sleep(time.Minute) })
		}
		pass(time.Second)
		stats, reasons := alarms(tm, hashedwheel.Stats{}, time.Second/2)
		require.Len(t, reasons, 1)
		assert.Contains(t, reasons[0], "the worker is blocked")
		pass(time.Hour)
		stats, reasons = alarms(tm, stats, time.Second/2)
		assert.Equal(t, []string{"tasks were handed out 1m0s late"}, reasons)
		_, reasons = alarms(tm, stats, time.Second/2)
		assert.Empty(t, reasons, "nothing new")
	}, hashedwheel.WithExecutor(hashedwheel.Inline{}))
}

func TestAlarmsNameRefusalsPanicsAndAFullTimer(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(0, func() { panic("for the handler") })
		pass(time.Second)
		for range 11 {
			tm.AfterFunc(time.Hour, func() {})
		}
		_, reasons := alarms(tm, hashedwheel.Stats{}, time.Second)
		want := []string{"1 armings were refused", "1 tasks panicked", "10 of 10 timeouts are pending"}
		assert.Equal(t, want, reasons)
	}, hashedwheel.WithMaxPending(10), hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
}

// Session is the value type of the map below.
type Session struct{}

func TestPendingTimeoutsHaveTheNamesThatAreShown(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c, _ := net.Pipe()
		_, err := idle.NewConn(tm, c, time.Minute)
		require.NoError(t, err)
		require.NoError(t, keyed.New(tm, func(string, Session) {}).Set("a", Session{}, time.Minute))
		wheeltime.NewTimer(tm, time.Minute)
		text := strings.ReplaceAll(contents(t, "choosing.md")[0], "main.Session", "docs.Session")
		all := tm.Sample(3)
		require.Len(t, all, 3)
		for _, to := range all {
			name := to.Task.(interface{ TaskName() string }).TaskName()
			assert.True(t, strings.Contains(strings.ReplaceAll(text, "\n", " "), "`"+name+"`"), "%s", name)
		}
	})
}
