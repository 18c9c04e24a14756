package grpc

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
)

var _ grpc.UnaryClientInterceptor = new(Watcher).Unary

// A report is a call of OnLate, or of OnReturn.
type report struct {
	what  string
	after time.Duration
}

// watched makes a call that fails after a time, with a limit of a second, and returns the reports.
func watched(t *testing.T, answerAfter time.Duration, tm *hashedwheel.Timer) <-chan report {
	reports := make(chan report, 3)
	w := NewWatcher(tm, time.Second)
	w.OnLate = func(method string, after time.Duration) { reports <- report{"late " + method, after} }
	w.OnReturn = func(method string, after time.Duration, err error) {
		require.Equal(t, io.EOF, err)
		reports <- report{"returned " + method, after}
	}
	err := w.Unary(t.Context(), "/a/B", nil, nil, nil,
		func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
			time.Sleep(answerAfter)
			return io.EOF
		})
	require.Equal(t, io.EOF, err)
	require.Zero(t, tm.Pending())
	return reports
}

func TestCallIsReportedWhileItIsLateAndWhenItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
		defer tm.StopAll()
		require.Empty(t, watched(t, time.Second-1, tm))
		reports := watched(t, 10*time.Second, tm)
		late, returned := <-reports, <-reports
		require.Equal(t, "late /a/B", late.what)
		require.GreaterOrEqual(t, late.after, time.Second)
		require.LessOrEqual(t, late.after, time.Second+tm.Tick())
		require.Equal(t, report{"returned /a/B", 10 * time.Second}, returned)
		require.Empty(t, reports)
		tm.StopAll()
		require.Empty(t, watched(t, 10*time.Second, tm), "not watched")
	})
}

func TestWatchingDoesNotAllocate(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	w := NewWatcher(tm, time.Hour)
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	call := func() { _ = w.Unary(context.Background(), "/a/B", nil, nil, nil, invoke) }
	require.Zero(t, testing.AllocsPerRun(1000, call))
}
