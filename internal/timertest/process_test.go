package timertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

func TestLibraryGoroutinesIncludesThoseStartedByTheTimePackage(t *testing.T) {
	byTime := hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(1, f) }))
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		over := make(chan struct{})
		time.AfterFunc(1, func() { <-over }) // the time package's, but not the library's
		tm.AfterFunc(0, func() { <-over })
		timertest.Pass(5 * timertest.Tick)
		assert.Equal(t, 1, timertest.LibraryGoroutines(), "the task")
		close(over)
	}, byTime)
}
