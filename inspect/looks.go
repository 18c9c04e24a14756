package inspect

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// A look is the data of one load of the page.
type look struct {
	report
	scheduler
}

func newLook(timers []named) look {
	s := readScheduler() // first: reading the timers takes time, during which goroutines run
	return look{newReport(timers), s}
}

// scheduler holds figures that show how busy the process is.
type scheduler struct {
	ready      uint64 // goroutines that wait for a processor
	isUnknown  bool   // ready is; Go counts these goroutines since 1.26
	processors int
	waited     waits // of goroutines since the process began
}

func readScheduler() scheduler {
	samples := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}, {Name: "/sched/latencies:seconds"}}
	metrics.Read(samples)
	s := scheduler{processors: runtime.GOMAXPROCS(0), waited: newWaits(samples[1].Value.Float64Histogram())}
	if s.isUnknown = samples[0].Value.Kind() != metrics.KindUint64; !s.isUnknown {
		s.ready = samples[0].Value.Uint64()
	}
	return s
}

// readiness returns the numbers of ready goroutines and of processors, in words; "" if Go does not count the former.
func (s scheduler) readiness() string {
	if s.isUnknown {
		return ""
	}
	if s.processors == 1 {
		return count(s.ready) + " for 1 processor"
	}
	return count(s.ready) + " for " + count(uint64(s.processors)) + " processors"
}

// looks holds the data of earlier loads, for rates.
type looks struct {
	mu           sync.Mutex
	base, latest look // guarded by mu; after begin, latest is at least a second newer than base
}

const (
	apart    = time.Second // looks that are closer together count as one
	briefest = apart / 2   // the shortest time for a rate
)

func (l *looks) begin(first look) { l.base, l.latest = first, first }

// last returns the look to compare now with. A look less than a second after the latest does not replace it: both are
// compared with the look before them.
func (l *looks) last(now look) look {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Time.Sub(l.latest.Time) >= apart {
		l.base, l.latest = l.latest, now
	}
	return l.base
}

// rate returns the growth of a counter per second. ok is false if the time was too short.
func rate(before, now uint64, elapsed time.Duration) (perSecond float64, ok bool) {
	if elapsed < briefest || now < before {
		return 0, false
	}
	return float64(now-before) / elapsed.Seconds(), true
}
