package durable

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

const (
	horizon  = 300 * time.Millisecond
	claimFor = 1300 * time.Millisecond
)

// The test binary also runs as the worker processes. A worker process ends when its input ends.
func TestMain(m *testing.M) {
	url := os.Getenv("DURABLE_SERVER")
	if url == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	w := &Worker{Horizon: horizon, ClaimFor: claimFor, Perform: perform}
	w.Log = func(what, name string, _ time.Duration) { fmt.Println(what, name, time.Now().UnixNano()) }
	if err := w.Work(ctx, connect(url)); err != nil {
		panic(err)
	}
}

// perform runs a job, whose data is its duration.
func perform(_ string, data []byte) {
	d, err := time.ParseDuration(string(data))
	if err != nil {
		panic(err)
	}
	time.Sleep(d)
}

func connect(url string) *nats.Conn {
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		panic(err)
	}
	return conn
}

// startServer starts a server on a port, with the streams in a folder. The server ends with the test at the latest.
func startServer(t *testing.T, port int, dir string) (addr *net.TCPAddr, stop func()) {
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
	})
	require.NoError(t, err)
	srv.Start()
	stop = sync.OnceFunc(func() { srv.Shutdown(); srv.WaitForShutdown() })
	t.Cleanup(stop)
	require.True(t, srv.ReadyForConnections(patience))
	return srv.Addr().(*net.TCPAddr), stop
}

// newStream makes an empty stream of jobs on a server.
func newStream(t *testing.T, url string) jetstream.JetStream {
	conn := connect(url)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	require.NoError(t, CreateStream(t.Context(), js, claimFor))
	return js
}

// A step is a line in the log of a worker about a job.
type step struct {
	worker, what, name string
	at                 int64
}

type journal struct {
	mu    sync.Mutex
	steps []step // guarded by mu
}

// names returns the names of the jobs that took a step at a worker, or at any worker if worker is "".
func (j *journal) names(what, worker string) (names []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.steps {
		if s.what == what && (worker == "" || s.worker == worker) {
			names = append(names, s.name)
		}
	}
	return names
}

// start starts a worker process, and returns a function that ends it.
func (j *journal) start(t *testing.T, worker, url string) (p *os.Process, end func()) {
	cmd := exec.CommandContext(t.Context(), os.Args[0]) // killed when the test ends
	cmd.Env = append(os.Environ(), "DURABLE_SERVER="+url)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	read := make(chan bool)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s := step{worker: worker}
			_, _ = fmt.Sscan(lines.Text(), &s.what, &s.name, &s.at)
			j.mu.Lock()
			j.steps = append(j.steps, s)
			j.mu.Unlock()
		}
	}()
	return cmd.Process, func() {
		require.NoError(t, in.Close())
		<-read
		require.NoError(t, cmd.Wait())
	}
}

// A worker is killed, another is halted for longer than a claim, a third ends, and the server is started again.
func TestEachJobRunsAtLeastOnceAndNoneEarly(t *testing.T) {
	dir := t.TempDir()
	addr, stop := startServer(t, server.RANDOM_PORT, dir)
	url := "nats://" + addr.String()
	js, j, due := newStream(t, url), &journal{}, map[string]int64{}
	publish := func(name, data string, delay time.Duration) {
		due[name] = time.Now().Add(delay).UnixNano()
		require.NoError(t, Publish(t.Context(), js, name, []byte(data), delay))
	}
	eventually := func(what string, done func() bool) { require.Eventually(t, done, 3*patience, tick, what) }
	claims := func(name string) int {
		return len(slices.DeleteFunc(j.names("claimed", ""), func(other string) bool { return other != name }))
	}
	isClaimedAgain := func(name string) { // before its claim expires
		begun := time.Now()
		eventually("a second claim", func() bool { return claims(name) > 1 })
		require.Less(t, time.Since(begun), claimFor-horizon)
	}
	isEmpty := func() bool {
		stream, err := js.Stream(t.Context(), streamName)
		return err == nil && stream.CachedInfo().State.Msgs == 0
	}
	killed, _ := j.start(t, "killed", url)
	halted, endHalted := j.start(t, "halted", url)
	_, endEnded := j.start(t, "ended", url)
	_, endLast := j.start(t, "last", url)
	eventually("four workers", func() bool {
		consumer, err := js.Consumer(t.Context(), streamName, consumerName)
		return err == nil && consumer.CachedInfo().NumWaiting == 4
	})
	publish("bad", "panics", 0)
	isClaimedAgain("bad")
	const jobs = 150
	for i := range jobs {
		publish(strconv.Itoa(i), "0s", horizon+time.Duration(i)*20*time.Millisecond)
	}
	for _, worker := range []string{"killed", "halted", "ended"} {
		eventually(worker, func() bool { return len(j.names("ran", worker)) > 3 })
	}
	require.Less(t, len(j.names("claimed", "")), jobs, "all were claimed long before they were due")
	endEnded()
	isClaimedAgain(j.names("returned", "ended")[0])
	require.NoError(t, killed.Kill())
	require.NoError(t, halted.Signal(syscall.SIGSTOP))
	stop()
	startServer(t, addr.Port, dir)
	eventually("all jobs", isEmpty)
	require.NoError(t, halted.Signal(syscall.SIGCONT))
	eventually("expired claims", func() bool { return len(j.names("left", "halted")) > 0 })
	endHalted()
	publish("long", (2 * claimFor).String(), 0)
	publish("long", "0s", 0) // not stored: the stream already had that name
	eventually("the long job", isEmpty)
	endLast()

	for i := range jobs {
		require.Contains(t, j.names("ran", ""), strconv.Itoa(i), "lost")
	}
	require.Equal(t, []string{"bad"}, j.names("dropped", ""))
	require.Equal(t, 1, claims("long"))
	var late []time.Duration
	for _, s := range j.steps {
		if s.what == "ran" {
			late = append(late, time.Duration(s.at-due[s.name]))
		}
	}
	slices.Sort(late)
	require.GreaterOrEqual(t, late[0], time.Duration(0), "early")
	t.Log("median lateness:", late[len(late)/2])
}

func TestServerClockTakesTheAnswerThatTraveledLeast(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &serverClock{now: func() time.Time { return now }}
	travel := []time.Duration{50, 30, 10, 40, 20}
	require.NoError(t, c.measure(func() (time.Time, error) {
		answered := now.Add(time.Hour)
		now, travel = now.Add(travel[0]*time.Millisecond), travel[1:]
		return answered, nil
	}))
	require.Equal(t, 10*time.Millisecond, now.Add(time.Hour).Sub(c.Now()), "behind by the least delay, never ahead")
}
