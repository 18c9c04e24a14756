package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Package ants starts the goroutines of its default pool at import.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func TestRunLosesNothing(t *testing.T) {
	out := exampletest.Output(t, run, "-tasks 60 -workers 3 -work 5ms")
	for _, name := range []string{"goroutines", "blocking", "queued"} {
		require.Equal(t, []string{"60", "60", "0"}, exampletest.Columns(t, out, name)[:3], "due, run and lost of %s", name)
	}
	require.NotEqual(t, "0", exampletest.Columns(t, out, "careless")[2], "lost")
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-workers 0": "-workers 0",
		"-tasks 31":  "-tasks 31",
		"-work 1us":  "-work 1µs",
		"-work 1s":   "-work 1s",
	})
}

func newPool(t *testing.T, opts ...ants.Option) *ants.Pool {
	t.Helper()
	pool, err := ants.NewPool(1, opts...)
	require.NoError(t, err)
	t.Cleanup(func() {
		if !pool.IsClosed() {
			require.NoError(t, pool.ReleaseTimeout(time.Minute))
		}
	})
	return pool
}

// startOnFullPool arms three timeouts that are due at once, on a pool of one
// worker. None of their tasks returns before release is called; ran counts them.
func startOnFullPool(t *testing.T, executor hashedwheel.Executor) (tm *hashedwheel.Timer, release func(), ran func() int) {
	t.Helper()
	tm = hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithExecutor(executor))
	gate, started := make(chan struct{}), make(chan struct{}, 3)
	for range 3 {
		tm.AfterFunc(0, func() { started <- struct{}{}; <-gate })
	}
	<-started // the pool is full
	return tm, sync.OnceFunc(func() { close(gate) }), func() int { return len(started) + 1 }
}

func shutdown(t *testing.T, tm *hashedwheel.Timer) []*hashedwheel.Timeout {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	left, err := tm.Shutdown(ctx)
	require.NoError(t, err)
	return left
}

func TestStopCancelsBlockedTimeouts(t *testing.T) {
	tm, release, ran := startOnFullPool(t, blocking(newPool(t)))
	require.Eventually(t, func() bool { return tm.Pending() == 1 }, time.Minute, time.Millisecond,
		"one has its worker, one waits in Submit, one is still pending")

	left := tm.Stop()
	release()
	shutdown(t, tm)
	require.Len(t, left, 1)
	require.Equal(t, 2, ran())
}

func TestQueuedTimeoutsHaveExpired(t *testing.T) {
	tm, release, ran := startOnFullPool(t, &queued{pool: newPool(t, ants.WithNonblocking(true))})
	require.Eventually(t, func() bool { return tm.Pending() == 0 }, time.Minute, time.Millisecond,
		"the wheel goes on although the pool is full")

	left := tm.Stop()
	release()
	shutdown(t, tm)
	require.Empty(t, left)
	require.Equal(t, 3, ran())
}

func TestReleasedPoolLosesNothing(t *testing.T) {
	tests := map[string]func(*ants.Pool) hashedwheel.Executor{
		"blocking": blocking,
		"queued":   func(p *ants.Pool) hashedwheel.Executor { return &queued{pool: p} },
	}
	for name, executor := range tests {
		t.Run(name, func(t *testing.T) {
			pool := newPool(t)
			require.NoError(t, pool.ReleaseTimeout(time.Minute))
			tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithExecutor(executor(pool)))
			ran := make(chan struct{}, 2)
			for range 2 {
				tm.AfterFunc(0, func() { ran <- struct{}{} })
			}
			<-ran
			<-ran
			require.Empty(t, shutdown(t, tm))
		})
	}
}

func TestVerdict(t *testing.T) {
	good := func() []*result {
		return []*result{
			{name: "goroutines", due: 9, run: 9, most: 9},
			{name: "queued", bounded: true, due: 9, run: 9, most: 2},
			{name: "careless", bounded: true, mayLose: true, due: 9, run: 2, most: 2, stillWaiting: true},
		}
	}
	cfg := config{tasks: 9, workers: 2}
	require.NoError(t, verdict(cfg, good()))

	tests := map[string]struct {
		spoil func(r []*result)
		want  string
	}{
		"a task lost":               {func(r []*result) { r[1].run = 8 }, "queued: 1 tasks lost"},
		"a task run twice":          {func(r []*result) { r[0].run = 10 }, "10 tasks run of 9"},
		"too many at once":          {func(r []*result) { r[1].most = 3 }, "3 tasks at once"},
		"a task early":              {func(r []*result) { r[0].earliest = -1 }, "1ns early"},
		"a channel early":           {func(r []*result) { r[0].afterLate = -1 }, "1ns early"},
		"a Shutdown that gave up":   {func(r []*result) { r[1].stillWaiting = true }, "gave up"},
		"nothing lost by the loser": {func(r []*result) { r[2].run = 9 }, "nothing was shown"},
		"a loss not missed":         {func(r []*result) { r[2].stillWaiting = false }, "did not miss"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			require.ErrorContains(t, verdict(cfg, r), tt.want)
		})
	}
}
