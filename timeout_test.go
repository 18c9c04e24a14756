package hashedwheel_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// logged returns what slog's JSON handler writes for a value.
func logged(v any) string {
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "v", v)
	_, after, _ := strings.Cut(strings.TrimSpace(b.String()), `"v":`)
	return strings.TrimSuffix(after, "}")
}

func TestTimeoutsInALogOfJSONAreTheirStrings(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	to := tm.AfterFunc(time.Hour, sendReminder)
	left := tm.Stop()
	want := `"hashedwheel.Timeout(Canceled, 2025-01-01 01:00:00.000, hashedwheel_test.sendReminder)"`
	assert.Equal(t, want, logged(to))
	assert.Equal(t, "["+want+"]", logged(left))
	assert.Equal(t, `"hashedwheel.Timeout(Unarmed)"`, logged(new(hashedwheel.Timeout)))
}

func TestTaskOfAFunctionIsPrintedAsItsName(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	scheduled, err := tm.Schedule(time.Hour, hashedwheel.TaskFunc(remind))
	require.NoError(t, err)
	for want, to := range map[string]*hashedwheel.Timeout{
		"hashedwheel_test.sendReminder": tm.AfterFunc(time.Hour, sendReminder),
		"hashedwheel_test.remind":       scheduled,
	} {
		assert.Equal(t, want, fmt.Sprint(to.Task()))
		assert.Equal(t, `"`+want+`"`, logged(to.Task()))
	}
}

func remind(*hashedwheel.Timeout) {}
