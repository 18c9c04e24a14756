package inspect_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

type timers = map[string]*hashedwheel.Timer

type session struct{}

func (*session) Run(*hashedwheel.Timeout) {}
func (*session) expire()                  {}

func tick(*hashedwheel.Series) {}

// survives recovers panics of tasks.
var survives = hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})

// A report as a program in another language would declare it.
type report struct {
	Time   time.Time
	Timers []struct {
		Name    string
		TickNS  int64 `json:"tick_ns"`
		Sampled int
		Stats   stats
		Due     []dueRow
		Tasks   []taskRow
	}
}

type stats struct {
	Pending                            int
	MaxPending                         int `json:"max_pending"`
	Stopped                            bool
	Expired, Rejected, Panics, Wakeups uint64
	Lateness                           []latenessBucket
	LatenessSumNS                      int64 `json:"lateness_sum_ns"`
	OverdueNS                          int64 `json:"overdue_ns"`
}

type latenessBucket struct {
	UpToNS int64 `json:"up_to_ns"`
	Count  uint64
}

type dueRow struct {
	FromNS   int64 `json:"from_ns"`
	WithinNS int64 `json:"within_ns"`
	Count    int
}

type taskRow struct {
	Name  string
	Count int
}

// newTimer returns a timer on a clock that only the test advances.
func newTimer(t *testing.T, opts ...hashedwheel.Option) (*hashedwheel.Timer, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	opts = append(opts, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	tm := hashedwheel.MustNew(opts...)
	t.Cleanup(func() { tm.StopAll() })
	return tm, clock
}

// get sends a GET request to a handler, with the given Accept headers.
func get(h http.Handler, target string, accept ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header["Accept"] = accept
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func page(h http.Handler) string { return get(h, "/").Body.String() }

func readReport(t *testing.T, h http.Handler) (r report) {
	t.Helper()
	w := get(h, "/?format=json")
	require.Equal(t, http.StatusOK, w.Code)
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return r
}
