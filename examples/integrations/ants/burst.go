package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/panjf2000/ants/v2"
)

const (
	tick  = time.Millisecond
	delay = 50 * time.Millisecond // until the burst is due
)

// A result is the result of one burst.
type result struct {
	name             string
	bounded, mayLose bool
	due, run, most   int
	earliest, latest time.Duration // start of a task, after its deadline
	stoppable        int           // timeouts pending when the burst was half over
	afterLate        time.Duration // how late a channel of Timer.After was closed
	stillWaiting     bool          // Shutdown gave up
}

// runAll runs the burst with each executor, one after another.
func runAll(cfg config) ([]*result, error) {
	refusing, err := ants.NewPool(cfg.workers, ants.WithNonblocking(true))
	if err != nil {
		return nil, err
	}
	defer refusing.Release()
	waiting, err := ants.NewPool(cfg.workers)
	if err != nil {
		return nil, err
	}
	defer waiting.Release() // after the Timers that use it were shut down

	goroutines := hashedwheel.ExecutorFunc(func(f func()) { go f() }) // like the default, which shares goroutines among quick tasks
	cases := []struct {
		executor hashedwheel.Executor
		result
	}{
		{goroutines, result{name: "goroutines"}},
		{blocking(waiting), result{name: "blocking", bounded: true}},
		{&queued{pool: refusing}, result{name: "queued", bounded: true}},
		{careless(refusing), result{name: "careless", bounded: true, mayLose: true}},
	}
	var results []*result
	for _, c := range cases {
		if err := c.measure(cfg, c.executor); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, &c.result)
	}
	return results, nil
}

// measure runs the burst on a new Timer.
func (r *result) measure(cfg config, executor hashedwheel.Executor) error {
	timer, err := hashedwheel.New(hashedwheel.WithTick(tick), hashedwheel.WithExecutor(executor))
	if err != nil {
		return err
	}
	l := &load{work: cfg.work}
	due := time.Now().Add(delay)
	for range cfg.tasks {
		if _, err := timer.Schedule(time.Until(due), l); err != nil {
			return err
		}
	}
	r.due = cfg.tasks
	r.watch(cfg, timer, due)

	limit := cfg.takes() + grace
	if r.mayLose {
		limit = cfg.takes() + 100*time.Millisecond // Shutdown will not return before that
	}
	return r.finish(timer, l, limit)
}

// watch counts the pending timeouts in the middle of the burst, and waits for a channel of After.
func (r *result) watch(cfg config, timer *hashedwheel.Timer, due time.Time) {
	const delay = 20 * time.Millisecond // after the burst was due
	closed := make(chan time.Duration, 1)
	after := timer.After(time.Until(due) + delay)
	go func() {
		<-after
		closed <- time.Since(due) - delay
	}()
	time.Sleep(time.Until(due) + cfg.takes()/2)
	r.stoppable = timer.Pending()
	r.afterLate = <-closed
}

// finish waits for the tasks and counts them. Shutdown also stops the Timer, so it must not be called
// before all tasks are handed out.
func (r *result) finish(timer *hashedwheel.Timer, l *load, limit time.Duration) error {
	example.Until(limit, func() bool { return timer.Pending() == 0 })
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err := timer.Shutdown(ctx)
	r.stillWaiting = errors.Is(err, context.DeadlineExceeded)

	l.mu.Lock()
	defer l.mu.Unlock()
	r.run, r.most, r.earliest, r.latest = l.run, l.most, l.earliest, l.latest
	return nil
}

// A load is the task of all timeouts of a burst, and counts its runs.
type load struct {
	work time.Duration

	mu               sync.Mutex
	run, now, most   int           // guarded by mu
	earliest, latest time.Duration // guarded by mu
}

// Run is called by the executor.
func (l *load) Run(to *hashedwheel.Timeout) {
	l.begin(time.Since(to.Deadline()))
	time.Sleep(l.work)
	l.end()
}

func (l *load) begin(late time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == 0 || late < l.earliest {
		l.earliest = late
	}
	l.latest = max(l.latest, late)
	l.run++
	l.now++
	l.most = max(l.most, l.now)
}

func (l *load) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now--
}
