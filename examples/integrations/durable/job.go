package main

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/nats-io/nats.go/jetstream"
)

// A job is a message from the stream, its timeout, and the timeout's task.
type job struct {
	worker  *worker
	message jetstream.Msg
	timeout hashedwheel.Timeout // a job must not be copied
	due     time.Time           // by the server's clock
	beats   *hashedwheel.Series // extends the claim until the job has run or is given back

	mu       sync.Mutex
	extended time.Time // when the claim was last extended, by the Timer's clock; guarded by mu
}

// claim arms the job's timeout, and extends the claim until the job has run or is given back. If
// the Timer is stopped or full, claim gives the job back at once.
//
// If this process dies after that, the claim runs out, and the stream hands the job to another
// worker.
func (j *job) claim() {
	w := j.worker
	w.log("claimed", j, 0)
	j.extended = w.timer.Now()
	j.beats = w.beats.Every(w.claimFor/3, func(*hashedwheel.Series) { j.extend() })
	j.timeout.Init(w.timer, j)
	j.timeout.Reset(j.due.Sub(w.clock.Now()))
	if j.timeout.Err() != nil {
		j.giveBack()
	}
}

// extend makes the stream wait for another claimFor. Without a connection it does nothing: a buffered
// extension might arrive when another worker has the claim.
func (j *job) extend() {
	now := j.worker.timer.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Sub(j.extended) < j.worker.claimFor && j.worker.connected() && j.message.InProgress() == nil {
		j.extended = now
	}
}

// valid reports whether the claim is still valid.
func (j *job) valid() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.worker.timer.Now().Sub(j.extended) < j.worker.claimFor
}

// Run is called by the Timer when the job is due. It acknowledges the job after the run: if the
// process dies in between, the job runs twice. Acknowledged before the run, it would be lost.
func (j *job) Run(*hashedwheel.Timeout) {
	defer j.beats.Stop()
	if !j.valid() {
		j.leave()
		return
	}
	late := j.worker.clock.Now().Sub(j.due)
	j.worker.perform(string(j.message.Data()))
	j.worker.log("ran", j, late)
	_ = j.message.Ack() // if this is lost, the stream hands out the job again
}

// panicked is called by the Timer after perform has panicked. The stream counts the deliveries, so
// a job that ends its process is also given up.
func (j *job) panicked() {
	j.worker.log("panicked", j, 0)
	_ = j.message.NakWithDelay(retryPause)
}

// giveBack returns a job that has not begun to the stream, while the claim is valid.
func (j *job) giveBack() {
	j.beats.Stop()
	if !j.valid() {
		j.leave()
		return
	}
	j.worker.log("returned", j, 0)
	_ = j.message.Nak()
}

// leave drops a job whose claim has run out: the stream may have handed it to another worker. A Nak
// would end that worker's claim, since the server accepts a Nak from any worker.
func (j *job) leave() { j.worker.log("left", j, 0) }
