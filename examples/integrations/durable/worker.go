package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	tick          = 5 * time.Millisecond
	patience      = 10 * time.Second       // limit for an answer of the server, on a busy machine
	maxDeliveries = 6                      // then a job is given up; the first send-back and each give-back count
	retryPause    = 500 * time.Millisecond // after a job has panicked; minutes in production
	measurePause  = 10 * time.Second       // between two measurements of the server's clock
)

// A worker claims jobs and runs them when they are due.
type worker struct {
	timer     *hashedwheel.Timer // claimed jobs
	beats     *hashedwheel.Timer // extends claims, also while timer is shutting down and jobs still run
	clock     *serverClock
	horizon   time.Duration
	claimFor  time.Duration
	connected func() bool
	perform   func(text string) // the work itself; it may panic

	mu  sync.Mutex
	out io.Writer // a line for each event; guarded by mu
}

// newWorker returns a worker. The options are for its two Timers.
func newWorker(cfg config, perform func(string), out io.Writer, opts ...hashedwheel.Option) *worker {
	giveUp := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, recovered any) {
		to.Task().(*job).panicked()
	})
	w := &worker{
		timer:     hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(tick), giveUp}, opts...)...),
		beats:     hashedwheel.MustNew(append([]hashedwheel.Option{hashedwheel.WithTick(4 * tick)}, opts...)...),
		horizon:   cfg.horizon,
		claimFor:  cfg.claimFor(),
		connected: func() bool { return true },
		perform:   perform,
		out:       out,
	}
	w.clock = &serverClock{now: w.timer.Now}
	return w
}

// work is a worker process. It ends when in ends, and gives back the claimed jobs that have not
// begun.
func work(cfg config, in io.Reader, out, log io.Writer) error {
	nc, js, err := connect(cfg.server, log)
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	consumer, err := js.Consumer(ctx, streamName, consumerName)
	if err != nil {
		return err
	}
	w := newWorker(cfg, perform, out)
	w.connected = nc.IsConnected
	if _, err := w.clock.measure(func() (time.Time, error) { return serverTime(consumer) }); err != nil {
		return err
	}
	w.beats.Every(measurePause, func(*hashedwheel.Series) { w.lookAtClock(consumer, log) })
	consuming, err := consumer.Consume(w.receive,
		jetstream.PullMaxMessages(4), // few, so that the other workers get some
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { fmt.Fprintln(log, "consuming:", err) }))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "ready 0", w.clock.off().Nanoseconds())
	inEnded := make(chan struct{})
	go func() {
		defer close(inEnded)
		_, _ = io.Copy(io.Discard, in)
	}()
	select {
	case <-inEnded:
		consuming.Drain()
		<-consuming.Closed()
	case <-consuming.Closed():
		err = errors.New("the consumer is gone")
	}
	return errors.Join(err, w.end(), nc.FlushTimeout(patience)) // send all acknowledgements and give-backs
}

// perform is the work of the demonstration: "7", "8 lasts 2s" or "9 panics".
func perform(text string) {
	fields := append(strings.Fields(text), "", "", "")
	switch fields[1] {
	case "lasts":
		d, _ := time.ParseDuration(fields[2])
		time.Sleep(d)
	case "panics":
		panic("job " + text)
	}
}

// lookAtClock measures the server's clock again, and logs a jump.
func (w *worker) lookAtClock(consumer jetstream.Consumer, log io.Writer) {
	moved, err := w.clock.measure(func() (time.Time, error) { return serverTime(consumer) })
	switch {
	case err != nil:
		fmt.Fprintln(log, "the server's clock:", err) // the last measurement remains valid
	case moved.Abs() > 100*time.Millisecond:
		fmt.Fprintln(log, "the server's clock has moved by", moved)
	}
}

// receive is called for each message. Calls do not overlap.
func (w *worker) receive(message jetstream.Msg) {
	meta, err := message.Metadata()
	if err != nil {
		return // not a message of a stream
	}
	j := &job{worker: w, message: message}
	delay, err := time.ParseDuration(message.Headers().Get(delayHeader))
	switch {
	case err != nil:
		_ = message.TermWithReason("no duration in header " + delayHeader)
		return
	case meta.NumDelivered > maxDeliveries:
		w.log("terminated", j, 0)
		_ = message.TermWithReason(fmt.Sprint("given up after deliveries: ", maxDeliveries))
		return
	}
	j.due = meta.Timestamp.Add(delay) // both by the server's clock
	if early := j.due.Sub(w.clock.Now()) - w.horizon; early > 0 {
		_ = message.NakWithDelay(early) // due later than the horizon: the stream keeps it
		return
	}
	j.claim()
}

// end stops the Timer and gives back the jobs that have not begun.
func (w *worker) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left, err := w.timer.Shutdown(ctx) // waits for the jobs that are running
	for _, to := range left {
		to.Task().(*job).giveBack()
	}
	w.beats.Stop()
	return err
}

// log writes an event of a job.
func (w *worker) log(what string, j *job, late time.Duration) {
	name, _, _ := strings.Cut(string(j.message.Data()), " ")
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(w.out, what, name, late.Nanoseconds())
}
