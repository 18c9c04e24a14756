package hashedwheel_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// armBuiltin arms one of each task of the library that calls user code, for an hour.
func armBuiltin(t *testing.T, tm *hashedwheel.Timer) {
	tm.Every(time.Hour, func(*hashedwheel.Series) { timertest.PanicHere() })
	entries := keyed.New(tm, func(int, int) { timertest.PanicHere() }, keyed.WithName("entry"))
	require.NoError(t, entries.Set(1, 1, time.Hour))
	here, _ := net.Pipe()
	_, err := idle.NewConn(tm, here, time.Hour, idle.WithOnIdle(func(net.Conn) { timertest.PanicHere() }))
	require.NoError(t, err)
	wheeltime.AfterFunc(tm, time.Hour, timertest.PanicHere)
}

// Whoever gets a Timeout of the library's own, from Timer.Stop or in a panic handler, cannot run or schedule its task.
func TestTasksOfTheLibraryAreShownToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []*hashedwheel.Timeout
		tm := hashedwheel.MustNew(timertest.Inline,
			hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { got = append(got, to) }))
		armBuiltin(t, tm)
		timertest.Pass(time.Hour + time.Second)
		assert.Len(t, got, 4, "panics")
		armBuiltin(t, tm)
		left := tm.Stop()
		assert.Len(t, left, 4, "of both series, keyed and idle")
		for _, to := range append(got, left...) {
			assert.Nil(t, to.Task())
			assert.Regexp(t, `func1|entry|idle connection|PanicHere`, to.String())
		}
	})
}
