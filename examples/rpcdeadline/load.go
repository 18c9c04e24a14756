package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"
)

// A load is a number of callers at work.
type load struct {
	client *client
	done   chan struct{} // closed when the last caller has ended

	mu    sync.Mutex
	total tally // guarded by mu
}

// A tally counts how calls ended.
type tally struct {
	started, answered int
	late              []time.Duration // of each call that exceeded its deadline
	wrong             int             // calls that got the answer to another call
	failed            int             // calls that failed for another reason
	reason            error           // the last such reason
}

// startLoad starts callers that make one call after another until a point in time.
func startLoad(cl *client, callers int, until time.Time) *load {
	l := &load{client: cl, done: make(chan struct{})}
	var running sync.WaitGroup
	for range callers {
		running.Go(func() {
			for time.Now().Before(until) {
				l.callOnce()
			}
		})
	}
	go func() {
		running.Wait()
		close(l.done)
	}()
	return l
}

func (l *load) callOnce() {
	l.mu.Lock()
	l.total.started++
	l.mu.Unlock()

	argument := rand.Uint64()
	end := l.client.do(argument)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.total.add(argument, end)
}

func (t *tally) add(argument uint64, end outcome) {
	switch {
	case errors.Is(end.err, os.ErrDeadlineExceeded):
		t.late = append(t.late, end.late)
	case end.err != nil:
		t.failed++
		t.reason = end.err
	case end.value != result(argument):
		t.wrong++
	default:
		t.answered++
	}
}

// ended returns how many calls have ended.
func (t *tally) ended() int { return t.answered + len(t.late) + t.wrong + t.failed }

// sum returns a copy of the tally.
func (l *load) sum() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.total
	t.late = slices.Clone(t.late)
	return t
}
