package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	tick          = 5 * time.Millisecond
	patience      = 10 * time.Second // limit for an answer of the server, and for jobs that run when their worker ends
	maxDeliveries = 6                // then a job is dropped; deliveries of jobs that are sent or given back count
	retryPause    = time.Second / 2  // after a job has panicked; minutes in production
	measurePause  = 10 * time.Second // between measurements of the server's clock
)

// A Worker claims jobs that are due soon, and runs each at its time. Workers may share a stream, in any number of
// processes.
type Worker struct {
	Horizon  time.Duration                               // a job is claimed this long before it is due
	ClaimFor time.Duration                               // as in CreateStream; more than Horizon
	Perform  func(name string, data []byte)              // runs a job; it may block, and panic
	Log      func(what, name string, late time.Duration) // is called concurrently, for each step of a job

	conn  *nats.Conn
	timer *hashedwheel.Timer // claimed jobs
	beats *hashedwheel.Timer // extends claims, including while timer shuts down and jobs still run
	clock serverClock
}

// Work claims and runs jobs until ctx ends, then gives back the claimed jobs that have not begun. Set the connection to
// reconnect forever: nats.MaxReconnects(-1).
func (w *Worker) Work(ctx context.Context, conn *nats.Conn) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	consumer, err := js.Consumer(ctx, streamName, consumerName)
	if err != nil {
		return err
	}
	w.conn = conn
	w.timer = hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithPanicHandler(w.panicked))
	w.beats = hashedwheel.MustNew(hashedwheel.WithTick(4 * tick))
	defer w.beats.StopAll()
	w.clock.now = w.timer.Now
	look := func() error { return w.clock.measure(func() (time.Time, error) { return serverTime(consumer) }) }
	if err := look(); err != nil {
		return err
	}
	w.beats.Every(measurePause, func(*hashedwheel.Series) { _ = look() })
	consuming, err := consumer.Consume(w.receive,
		jetstream.PullMaxMessages(4),        // few, so that other workers get jobs as well
		jetstream.PullExpiry(4*time.Second)) // afterwards, a request that the server has lost is repeated
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		consuming.Drain()
		<-consuming.Closed()
	case <-consuming.Closed():
		err = errors.New("the consumer is gone")
	}
	return errors.Join(err, w.end(), conn.FlushTimeout(patience)) // sends all acknowledgments
}

func serverTime(consumer jetstream.Consumer) (time.Time, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	info, err := consumer.Info(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return info.TimeStamp, nil
}

// receive is called for each message. Calls do not overlap.
func (w *Worker) receive(message jetstream.Msg) {
	meta, err := message.Metadata()
	if err != nil {
		return // not a message of a stream
	}
	j := &job{worker: w, message: message}
	delay, err := time.ParseDuration(message.Headers().Get(delayHeader))
	if err != nil || meta.NumDelivered > maxDeliveries {
		j.log("dropped", 0)
		_ = message.TermWithReason(fmt.Sprintf("given up: delivery %d, delay %v", meta.NumDelivered, err))
		return
	}
	j.due = meta.Timestamp.Add(delay) // both by the server's clock
	if early := j.due.Sub(w.clock.Now()) - w.Horizon; early > 0 {
		_ = message.NakWithDelay(early) // the stream keeps it until then
		return
	}
	j.claim()
}

// end stops the Timer, waits for the jobs that are running, and gives back those that have not begun.
func (w *Worker) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left, err := w.timer.Shutdown(ctx)
	for _, to := range left {
		to.Task().(*job).giveBack()
	}
	return err
}

// panicked is called by the Timer after Perform has panicked. The stream counts deliveries, so a job that ends its
// process is dropped as well.
func (w *Worker) panicked(to *hashedwheel.Timeout, _ any) {
	j := to.Task().(*job)
	j.log("panicked", 0)
	_ = j.message.NakWithDelay(retryPause)
}

// A job is a message of the stream, its timeout, and the timeout's task.
type job struct {
	worker  *Worker
	message jetstream.Msg
	timeout hashedwheel.Timeout // a job must not be copied
	due     time.Time           // by the server's clock
	beats   *hashedwheel.Series // extends the claim until the job has run or is given back

	mu       sync.Mutex
	extended time.Time // when the claim was last extended, by the Timer's clock; guarded by mu
}

func (j *job) name() string { return j.message.Headers().Get(nats.MsgIdHdr) }

func (j *job) log(what string, late time.Duration) { j.worker.Log(what, j.name(), late) }

// claim arms the timeout, and extends the claim until the job has run or is given back. If this process dies before
// that, the claim expires, and the stream hands the job to another worker.
func (j *job) claim() {
	w := j.worker
	j.log("claimed", 0)
	j.extended = w.timer.Now()
	j.beats = w.beats.Every(w.ClaimFor/3, func(*hashedwheel.Series) { j.extend() })
	if j.timeout.Init(w.timer, j).Arm(j.due.Sub(w.clock.Now())) != nil { // the Timer is stopped or full
		j.giveBack()
	}
}

// extend makes the stream wait for another ClaimFor. Without a connection it does nothing: an extension that the client
// buffers might arrive when another worker has the claim.
func (j *job) extend() {
	now := j.worker.timer.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Sub(j.extended) < j.worker.ClaimFor && j.worker.conn.IsConnected() && j.message.InProgress() == nil {
		j.extended = now
	}
}

// hasClaim reports whether the claim is valid. If the claim has expired, another worker may have the job. Then the job
// is neither run nor given back: the server accepts a Nak from any worker, and would end the other worker's claim.
func (j *job) hasClaim() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.worker.timer.Now().Sub(j.extended) < j.worker.ClaimFor
}

// Run is called by the Timer when the job is due. It acknowledges the job after the run: if the process dies between
// the two, the job runs twice. If it acknowledged the job before the run, the job would be lost.
func (j *job) Run(*hashedwheel.Timeout) {
	defer j.beats.Stop()
	if !j.hasClaim() {
		j.log("left", 0)
		return
	}
	late := j.worker.clock.Now().Sub(j.due)
	j.worker.Perform(j.name(), j.message.Data())
	j.log("ran", late)
	_ = j.message.Ack() // if the Ack is lost, the stream hands out the job again
}

// giveBack returns a job that has not begun to the stream.
func (j *job) giveBack() {
	j.beats.Stop()
	if !j.hasClaim() {
		j.log("left", 0)
		return
	}
	j.log("returned", 0)
	_ = j.message.Nak()
}

// A serverClock follows the server's clock: its time is the time in the server's last answer, plus the time since then
// on this process's monotonic clock. It is never ahead of the server's clock, and is behind it by the travel time of
// that answer.
type serverClock struct {
	now func() time.Time // this process's clock

	mu     sync.Mutex
	server time.Time // in the server's answer; guarded by mu
	local  time.Time // when that answer was received, by now; guarded by mu
}

// measure requests the server's time five times, and uses the answer with the shortest travel time.
func (c *serverClock) measure(request func() (time.Time, error)) error {
	var server, local time.Time
	for i := range 5 {
		answer, err := request()
		if err != nil {
			return err // the last measurement remains valid
		}
		if at := c.now(); i == 0 || answer.Sub(at) > server.Sub(local) {
			server, local = answer, at
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server, c.local = server, local
	return nil
}

func (c *serverClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Add(c.now().Sub(c.local))
}
