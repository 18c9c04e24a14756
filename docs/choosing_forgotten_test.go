package docs

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func checkTimeouts(t testing.TB, tm *hashedwheel.Timer) {
	t.Cleanup(func() {
		for _, to := range tm.Stop() {
			t.Errorf("forgotten: %v", to) // with the name of its task
		}
	})
}

// recorder is a test whose end the real test decides, and whose failures it sees.
type recorder struct {
	testing.TB
	cleanup func()
	errors  []string
}

func (r *recorder) Cleanup(f func()) { r.cleanup = f }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func sendReminder() {}

func TestForgottenTimeoutsAreNamedAtTheEndOfATest(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		r := &recorder{TB: t}
		checkTimeouts(r, tm)
		tm.AfterFunc(time.Second, func() {}) // expires
		tm.AfterFunc(time.Hour, func() {}).Stop()
		tm.AfterFunc(time.Hour, sendReminder)
		pass(time.Minute)
		r.cleanup()
		require.Len(t, r.errors, 1)
		assert.Contains(t, r.errors[0], "docs.sendReminder")
	})
}
