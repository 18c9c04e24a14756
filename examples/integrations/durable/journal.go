package main

import (
	"sync"
	"time"
)

// A journal is what the workers did, as far as they could tell before they died.
type journal struct {
	mu       sync.Mutex
	ready    int                     // workers that have started; guarded by mu
	ran      map[int]int             // by job, how often; guarded by mu
	byWorker map[string]int          // runs; guarded by mu
	held     map[string]map[int]bool // by worker, jobs claimed and neither run nor returned; guarded by mu
	returned map[string]int          // by worker; guarded by mu
	onTime   []time.Duration         // lateness of the runs; guarded by mu
	late     []time.Duration         // lateness of the runs of jobs taken over; guarded by mu
	dead     string                  // the worker that was killed; guarded by mu
}

func newJournal() *journal {
	return &journal{
		ran:      map[int]int{},
		byWorker: map[string]int{},
		held:     map[string]map[int]bool{},
		returned: map[string]int{},
	}
}

// add is called for each event, by one goroutine a worker.
func (j *journal) add(e event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held[e.worker] == nil {
		j.held[e.worker] = map[int]bool{}
	}
	switch e.what {
	case "ready":
		j.ready++
	case "claimed":
		j.held[e.worker][e.job] = true
	case "returned":
		delete(j.held[e.worker], e.job)
		j.returned[e.worker]++
	case "ran":
		delete(j.held[e.worker], e.job)
		j.ran[e.job]++
		j.byWorker[e.worker]++
		if j.dead != "" && j.held[j.dead][e.job] {
			j.late = append(j.late, e.late)
		} else {
			j.onTime = append(j.onTime, e.late)
		}
	}
}

// isReady tells whether n workers have started.
func (j *journal) isReady(n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ready == n
}

// isBusy tells whether a worker has run n jobs and holds some more.
func (j *journal) isBusy(worker string, n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byWorker[worker] >= n && len(j.held[worker]) >= 3
}

// isDone tells whether n jobs have run.
func (j *journal) isDone(n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.ran) >= n
}

// died notes that a worker was killed, and returns how many jobs it held.
func (j *journal) died(worker string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dead = worker
	return len(j.held[worker])
}

// gaveBack returns how many jobs a worker returned.
func (j *journal) gaveBack(worker string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.returned[worker]
}

// waitFor waits until what is true. It reports false if that takes too long.
func waitFor(limit time.Duration, what func() bool) bool {
	for end := time.Now().Add(limit); !what(); time.Sleep(tick) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
