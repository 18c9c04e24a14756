package hashedwheel_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
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

// logged returns what slog's JSON handler writes for a value.
func logged(v any) string {
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "v", v)
	_, after, _ := strings.Cut(strings.TrimSpace(b.String()), `"v":`)
	return strings.TrimSuffix(after, "}")
}

func TestTimeoutInALogOfJSONIsItsString(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	to := tm.AfterFunc(time.Hour, sendReminder)
	tm.StopAll()
	want := `"hashedwheel.Timeout(Canceled, 2025-01-01 01:00:00.000, hashedwheel_test.sendReminder)"`
	assert.Equal(t, want, logged(to))
	assert.Equal(t, `"hashedwheel.Timeout(Unarmed)"`, logged(new(hashedwheel.Timeout)))
}

func TestTaskOfAFunctionIsPrintedAsItsName(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
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

// The JSON of a struct does not depend on its Timeout.
func TestStructKeepsItsOtherFieldsInJSON(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	named := &struct {
		Name string
		idle hashedwheel.Timeout
		Idle *hashedwheel.Timeout
	}{Name: "a", Idle: tm.AfterFunc(time.Hour, sendReminder)}
	named.idle.InitFunc(tm, sendReminder).Reset(time.Hour)
	embedding := &struct {
		Name string
		hashedwheel.Timeout
	}{Name: "b"}
	embedding.InitFunc(tm, sendReminder).Reset(time.Hour)

	encoded, err := json.Marshal([]any{named, embedding})
	require.NoError(t, err)
	want := `[{"Name":"a","Idle":{}},{"Name":"b"}]`
	assert.Equal(t, want, string(encoded))
	assert.Equal(t, want, logged([]any{named, embedding}))
	assert.Equal(t, `{"Name":"a","Idle":{}}`, logged(named))
	assert.Regexp(t, `^"hashedwheel.Timeout\(Pending`, logged(embedding), "its LogValue is the Timeout's")
}

func remind(*hashedwheel.Timeout) {}

// armHooks arms one of each task of the library that calls user code, for an hour.
func armHooks(t *testing.T, tm *hashedwheel.Timer) {
	tm.Every(time.Hour, func(*hashedwheel.Series) { timertest.PanicHere() })
	entries := keyed.New(tm, func(int, int) { timertest.PanicHere() }, keyed.WithName("entry"))
	require.NoError(t, entries.Set(1, 1, time.Hour))
	here, _ := net.Pipe()
	_, err := idle.NewConn(tm, here, time.Hour, idle.WithOnIdle(func(net.Conn) { timertest.PanicHere() }))
	require.NoError(t, err)
	wheeltime.AfterFunc(tm, time.Hour, timertest.PanicHere)
}

// A panic handler that gets a Timeout of a task of the library cannot run its task, and StopAll returns none.
func TestTasksOfTheLibraryAreNotExposed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []*hashedwheel.Timeout
		tm := hashedwheel.MustNew(timertest.Inline,
			hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { got = append(got, to) }))
		armHooks(t, tm)
		timertest.Pass(time.Hour + time.Second)
		assert.Len(t, got, 4, "panics")
		armHooks(t, tm)
		assert.Empty(t, tm.StopAll())
		for _, to := range got {
			assert.Nil(t, to.Task())
			assert.Regexp(t, `func1|entry|idle connection|PanicHere`, to.String())
		}
	})
}
