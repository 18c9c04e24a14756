package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// testConfig has claims of 1.1 seconds.
var testConfig = config{jobs: 50, spread: time.Second, horizon: 100 * time.Millisecond}

// A log is a strings.Builder for concurrent use.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *log) waitFor(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(l.String(), text) }, 3*patience, tick, text)
}

// startStream returns a server with an empty stream of jobs. The server ends with the test.
func startStream(t *testing.T) (*server.Server, jetstream.JetStream) {
	t.Helper()
	srv, stop, err := startServer()
	require.NoError(t, err)
	t.Cleanup(stop)
	nc, js, err := connect(srv.ClientURL(), io.Discard)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	require.NoError(t, createStream(t.Context(), js, testConfig.claimFor()))
	return srv, js
}

// startTestWorker starts a worker in this process. The worker ends with the test.
func startTestWorker(t *testing.T, url string) (out, stderr *log) {
	t.Helper()
	out, stderr = &log{}, &log{}
	cfg := testConfig
	cfg.server = url
	in, end := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- work(cfg, in, out, stderr) }()
	t.Cleanup(func() {
		_ = end.Close()
		require.NoError(t, <-ended)
	})
	out.waitFor(t, "ready")
	return out, stderr
}

func TestJobLongerThanAClaimRunsOnce(t *testing.T) {
	srv, js := startStream(t)
	one, _ := startTestWorker(t, srv.ClientURL())
	two, _ := startTestWorker(t, srv.ClientURL())
	require.NoError(t, publish(t.Context(), js, "7 lasts 2500ms", 0))
	require.Eventually(t, func() bool {
		info, err := js.Stream(t.Context(), streamName)
		return err == nil && info.CachedInfo().State.Msgs == 0
	}, 3*patience, tick)
	require.Equal(t, 1, strings.Count(one.String()+two.String(), "claimed 7 "))
}

func TestWorkerSurvivesAPanickingJob(t *testing.T) {
	srv, js := startStream(t)
	out, _ := startTestWorker(t, srv.ClientURL())
	require.NoError(t, publish(t.Context(), js, "1 panics", 0))
	out.waitFor(t, "terminated 1 ")
	require.Equal(t, maxDeliveries, strings.Count(out.String(), "panicked 1 "))
	require.NoError(t, publish(t.Context(), js, "2", 0))
	out.waitFor(t, "ran 2 ")
}

func TestJobPublishedAgainIsStoredOnce(t *testing.T) {
	_, js := startStream(t)
	for range 3 {
		require.NoError(t, publish(t.Context(), js, "7", time.Hour))
	}
	require.NoError(t, publish(t.Context(), js, "8", time.Hour))
	stream, err := js.Stream(t.Context(), streamName)
	require.NoError(t, err)
	require.EqualValues(t, 2, stream.CachedInfo().State.Msgs)
}

func TestWorkerFailsWithoutItsConsumer(t *testing.T) {
	srv, js := startStream(t)
	cfg := testConfig
	cfg.server = srv.ClientURL()
	in, end := io.Pipe()
	defer end.Close()
	out := &log{}
	ended := make(chan error, 1)
	go func() { ended <- work(cfg, in, out, io.Discard) }()
	out.waitFor(t, "ready")
	require.NoError(t, js.DeleteStream(t.Context(), streamName))
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "the consumer is gone")
	case <-time.After(3 * patience):
		t.Fatal("a worker without a consumer goes on")
	}
}

// A dialer counts its attempts.
type dialer struct{ tried atomic.Int64 }

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	d.tried.Add(1)
	return net.Dial(network, address)
}

// By default the client gives up after 60 attempts.
func TestConnectionSurvivesALongOutage(t *testing.T) {
	dir := t.TempDir()
	srv, stop, err := startServerAt(server.RANDOM_PORT, dir)
	require.NoError(t, err)
	port := srv.Addr().(*net.TCPAddr).Port
	stderr, tried := &log{}, &dialer{}
	nc, _, err := connect(srv.ClientURL(), stderr, nats.SetCustomDialer(tried),
		nats.ReconnectWait(time.Millisecond), nats.ReconnectJitter(0, 0))
	require.NoError(t, err)
	defer nc.Close()
	stop()
	require.Eventually(t, func() bool { return tried.tried.Load() > 100 || nc.IsClosed() }, 3*patience, tick)
	_, stop, err = startServerAt(port, dir)
	require.NoError(t, err)
	defer stop()
	stderr.waitFor(t, "connection lost")
	stderr.waitFor(t, "connected again")
}

func TestWorkerRunsJobsAfterAServerRestart(t *testing.T) {
	dir := t.TempDir()
	srv, stop, err := startServerAt(server.RANDOM_PORT, dir)
	require.NoError(t, err)
	port := srv.Addr().(*net.TCPAddr).Port
	nc, js, err := connect(srv.ClientURL(), io.Discard)
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, createStream(t.Context(), js, testConfig.claimFor()))
	require.NoError(t, publish(t.Context(), js, "1", 2*time.Second))

	t.Cleanup(func() { stop() }) // after the worker has ended
	out, stderr := startTestWorker(t, srv.ClientURL())
	stop()
	stderr.waitFor(t, "connection lost")
	_, stop, err = startServerAt(port, dir)
	require.NoError(t, err)
	stderr.waitFor(t, "connected again")
	out.waitFor(t, "ran 1 ")
}

func TestScheduledMessagesAreDelivered(t *testing.T) {
	_, js := startStream(t)
	cfg := testConfig
	late, err := measureSchedules(t.Context(), js, cfg)
	require.NoError(t, err)
	require.Len(t, late, cfg.jobs)
}
