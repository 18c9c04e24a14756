package hashedwheel

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// Stats counts what a Timer has done. The counters run from New and never decrease. In JSON durations are nanoseconds.
type Stats struct {
	Pending    int  `json:"pending"`     // as Timer.Pending returns
	MaxPending int  `json:"max_pending"` // the bound that WithMaxPending set; 0: none
	Stopped    bool `json:"stopped"`     // by Timer.StopAll or Timer.Shutdown

	Expired  uint64 `json:"expired"`  // tasks dispatched; each run of a series and each channel of After counts as one
	Rejected uint64 `json:"rejected"` // calls refused because the timer was stopped or full
	Panics   uint64 `json:"panics"`   // panics of tasks and of the Executor that were handled, see WithPanicHandler
	Wakeups  uint64 `json:"wakeups"`  // runs of the worker for a timeout or the queue; none on a ManualClock

	// Lateness counts the expired tasks by how long after its deadline each was handed to the Executor: up to a tick if
	// nothing was late. It leaves out how long a task then waits in the Executor. A deadline that had passed when it
	// was set counts as at most a tick late, unless the worker is late.
	Lateness    []LatenessBucket `json:"lateness"`
	LatenessSum time.Duration    `json:"lateness_sum_ns"` // of all expired tasks

	// Overdue is how long the oldest due timeout has waited for its turn. It grows while an executor, or a task with
	// Inline, blocks the worker, and while the worker waits for a processor. The task that blocks does not count
	// itself. A timeout that was moved later counts until the worker has read its new deadline.
	Overdue time.Duration `json:"overdue_ns"`
}

// A LatenessBucket counts tasks that were at most UpTo late, and later than UpTo of the bucket before. UpTo is 100µs
// in the first bucket and doubles from bucket to bucket; in the last it is the largest Duration.
type LatenessBucket struct {
	UpTo  time.Duration `json:"up_to_ns"`
	Count uint64        `json:"count"`
}

// Stats returns the counters as of now. It costs as much as Pending, and allocates Lateness.
func (tm *Timer) Stats() Stats {
	tm.time.checkMade()
	now := tm.time.now() // before the drain, which must not count as a timeout's delay
	next, pending := tm.guarded.drainAll()
	// A timeout that was armed for the past is overdue only once the worker's run for it is late.
	overdue := now - max(next, tm.worker.runsAt())
	s := Stats{
		Pending:    pending,
		MaxPending: int(tm.quota.max),
		Stopped:    tm.queue.refuses.Load(),
		Rejected:   tm.rejected.Load(),
		Panics:     tm.out.panics.Load(),
		Wakeups:    tm.worker.wakeups.Load(),
		Overdue:    time.Duration(max(0, overdue)), // 0 if nothing is pending
	}
	s.Lateness, s.LatenessSum, s.Expired = tm.worker.lateness.read()
	return s
}

// lateness counts tasks by how late they were dispatched. Only the worker writes it.
type lateness struct {
	counts [20]atomic.Uint64 // for read, like the next
	sum    atomic.Int64      // in ns
}

const finest = 100 * time.Microsecond // the bound of the first bucket

// note counts a task by the ns between its deadline and its dispatch.
func (l *lateness) note(late int64) {
	doublings := bits.Len64(uint64(max(0, late-1)) / uint64(finest)) // bucket i is up to finest<<i
	l.counts[min(doublings, len(l.counts)-1)].Add(1)
	sum := l.sum.Load() + max(0, late)
	if sum < 0 { // a ManualClock jumped by years over many timeouts: a Duration holds 292 years
		sum = math.MaxInt64
	}
	l.sum.Store(sum)
}

func (l *lateness) read() (buckets []LatenessBucket, sum time.Duration, expired uint64) {
	buckets = make([]LatenessBucket, len(l.counts))
	for i := range buckets {
		buckets[i] = LatenessBucket{finest << i, l.counts[i].Load()}
		expired += buckets[i].Count
	}
	buckets[len(buckets)-1].UpTo = math.MaxInt64
	return buckets, time.Duration(l.sum.Load()), expired
}
