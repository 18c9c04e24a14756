package grpc

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"
)

// A report is a call of OnLate, or of OnReturn.
type report struct {
	what  string
	after time.Duration
}

// watched makes a call to a server that answers after a time. The Watcher has a limit of a second, the call a deadline
// of a minute.
func watched(t *testing.T, answerAfter time.Duration, tm *hashedwheel.Timer) <-chan report {
	reports := make(chan report, 3)
	l := bufconn.Listen(1 << 10)
	server := grpc.NewServer(grpc.UnaryInterceptor(
		func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			time.Sleep(answerAfter)
			return handle(ctx, request)
		}))
	healthpb.RegisterHealthServer(server, health.NewServer())
	go server.Serve(l)
	defer server.Stop()

	w := NewWatcher(tm, time.Second)
	w.OnLate = func(method string, after time.Duration) { reports <- report{"late " + method, after} }
	w.OnReturn = func(method string, after time.Duration, err error) {
		require.NoError(t, err)
		reports <- report{"returned " + method, after}
	}
	conn, err := grpc.NewClient("passthrough:", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
		grpc.WithUnaryInterceptor(w.Unary))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	require.NoError(t, err)
	require.Zero(t, tm.Pending())
	return reports
}

func TestCallIsReportedWhileItIsLateAndWhenItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
		defer tm.Stop()
		require.Empty(t, watched(t, time.Second-1, tm))
		reports := watched(t, 10*time.Second, tm)
		late, returned := <-reports, <-reports
		require.Equal(t, "late /grpc.health.v1.Health/Check", late.what)
		require.GreaterOrEqual(t, late.after, time.Second)
		require.LessOrEqual(t, late.after, time.Second+tm.Tick())
		require.Equal(t, report{"returned /grpc.health.v1.Health/Check", 10 * time.Second}, returned)
		require.Empty(t, reports)
		tm.Stop()
		require.Empty(t, watched(t, 10*time.Second, tm), "not watched, and no error")
	})
}

func TestWatchingDoesNotAllocate(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	w := NewWatcher(tm, time.Hour)
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	call := func() { _ = w.Unary(context.Background(), "/a/B", nil, nil, nil, invoke) }
	require.Zero(t, testing.AllocsPerRun(1000, call))
}
