package main

import (
	"sync"
	"time"
)

// A journal records the events of all workers.
type journal struct {
	mu       sync.Mutex
	ready    int                     // workers that have started; guarded by mu
	ran      map[int]int             // by job, how often; guarded by mu
	byWorker map[string]int          // runs; guarded by mu
	held     map[string]map[int]bool // by worker, jobs claimed and neither run nor given back; guarded by mu
	returned map[string]int          // by worker; guarded by mu
	onTime   []time.Duration         // lateness of the runs; guarded by mu
	late     []time.Duration         // lateness of the runs of jobs taken over; guarded by mu
	panics   int                     // runs that panicked; guarded by mu
	givenUp  map[int]bool            // jobs terminated; guarded by mu
	clockOff time.Duration           // greatest difference of a worker's wall clock from the server's; guarded by mu
	dead     string                  // the killed worker; guarded by mu
}

func newJournal() *journal {
	return &journal{
		ran:      map[int]int{},
		byWorker: map[string]int{},
		held:     map[string]map[int]bool{},
		returned: map[string]int{},
		givenUp:  map[int]bool{},
	}
}

// add is called for each event, by a goroutine for each worker.
func (j *journal) add(e event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held[e.worker] == nil {
		j.held[e.worker] = map[int]bool{}
	}
	switch e.what {
	case "ready":
		j.ready++
		j.clockOff = max(j.clockOff, e.late.Abs())
	case "claimed":
		j.held[e.worker][e.job] = true
	case "returned":
		delete(j.held[e.worker], e.job)
		j.returned[e.worker]++
	case "left": // to another worker
		delete(j.held[e.worker], e.job)
	case "panicked":
		delete(j.held[e.worker], e.job)
		j.panics++
	case "terminated":
		j.givenUp[e.job] = true
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

// isReady reports whether n workers have started.
func (j *journal) isReady(n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ready == n
}

// isBusy reports whether a worker has run n jobs and holds others.
func (j *journal) isBusy(worker string, n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byWorker[worker] >= n && len(j.held[worker]) >= 3
}

// isDone reports whether n jobs have run or were given up.
func (j *journal) isDone(n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.ran)+len(j.givenUp) >= n
}

// died records that a worker was killed, and returns how many jobs it held.
func (j *journal) died(worker string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dead = worker
	return len(j.held[worker])
}

// gaveBack returns how many jobs a worker gave back.
func (j *journal) gaveBack(worker string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.returned[worker]
}
