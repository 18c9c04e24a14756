package docs

import (
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

// TestBubbleSleepsTenYearsOverAPendingTimeout: the wheel has no empty ticks that a bubble would have to go through.
func TestBubbleSleepsTenYearsOverAPendingTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var ran time.Duration
		tm.AfterFunc(5*365*24*time.Hour, func() { ran = time.Since(start) })
		pass(10 * 365 * 24 * time.Hour)
		assert.InDelta(t, 5*365*24*time.Hour, ran, float64(tick))
		assert.Less(t, tm.Stats().Wakeups, uint64(10))
	})
}
