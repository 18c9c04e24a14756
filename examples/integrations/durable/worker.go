package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	tick     = 5 * time.Millisecond
	patience = 10 * time.Second // for an answer of the server, on a busy machine
)

// A worker claims jobs and runs them when they are due.
type worker struct {
	timer   *hashedwheel.Timer
	horizon time.Duration

	mu  sync.Mutex
	out io.Writer // what it does, one line a job; guarded by mu
}

// A job is a message from the stream, and the task of the timeout that says when it
// is due.
type job struct {
	worker  *worker
	message jetstream.Msg
	timeout hashedwheel.Timeout // by value; a job must not be copied
	due     time.Time
}

// work is a worker process. It ends when in does, and then gives back the jobs that
// it has claimed and not begun.
func work(cfg config, in io.Reader, out io.Writer) error {
	nc, js, err := connect(cfg.server)
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

	w := &worker{timer: hashedwheel.MustNew(hashedwheel.WithTick(tick)), horizon: cfg.horizon, out: out}
	consuming, err := consumer.Consume(w.receive, jetstream.PullMaxMessages(4)) // few, so that the others get some
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	_, _ = io.Copy(io.Discard, in) // until told to end
	consuming.Drain()
	<-consuming.Closed()
	return errors.Join(w.end(), nc.FlushTimeout(patience)) // flush what was acknowledged and given back
}

// receive is called for one message after another.
func (w *worker) receive(message jetstream.Msg) {
	due, err := time.Parse(time.RFC3339Nano, message.Headers().Get(dueHeader))
	if err != nil {
		_ = message.TermWithReason("no time in header " + dueHeader)
		return
	}
	if early := time.Until(due) - w.horizon; early > 0 {
		_ = message.NakWithDelay(early) // far off: the stream keeps it
		return
	}
	w.claim(&job{worker: w, message: message, due: due})
}

// claim puts a job on the wheel. One that the Timer refuses, because it has been
// stopped or is full, goes back at once.
//
// If this process dies from here on, the stream waits in vain for the job to be
// acknowledged, and hands it to another worker.
func (w *worker) claim(j *job) {
	w.tell("claimed", j, 0)
	j.timeout.Init(w.timer, j)
	j.timeout.Reset(time.Until(j.due)) // due is a time of day, from another process
	if j.timeout.Err() != nil {
		j.giveBack()
	}
}

// Run is called by the Timer when the job is due. Acknowledged before, a job would be
// lost if the process died now; acknowledged after, it may run twice.
func (j *job) Run(*hashedwheel.Timeout) {
	j.worker.tell("ran", j, time.Since(j.due)) // the job
	_ = j.message.Ack()                        // if this is lost, the stream hands out the job again
}

func (j *job) giveBack() {
	j.worker.tell("returned", j, 0)
	_ = j.message.Nak()
}

// end stops the Timer and gives back the jobs that it had not begun.
func (w *worker) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left, err := w.timer.Shutdown(ctx) // waits for the jobs that are running
	for _, to := range left {
		to.Task().(*job).giveBack()
	}
	return err
}

// tell writes what became of a job.
func (w *worker) tell(what string, j *job, late time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(w.out, what, string(j.message.Data()), late.Nanoseconds())
}
