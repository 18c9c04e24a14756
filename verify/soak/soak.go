package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// config is the flags.
type config struct {
	duration  time.Duration
	span      time.Duration // of a timer's life
	tick      time.Duration
	producers int
	pending   int
	seed      uint64
	executor  string
	patience  time.Duration // until a call or task must have ended
}

// soak is a run: rounds of lives, all lanes side by side.
type soak struct {
	config
	lanes  []*lane
	faults faults
	dice   atomic.Uint64
	gate   sync.RWMutex // held to write while the heap is measured: the producers pause

	began      time.Time
	goroutines int // at the beginning
	remaining  int // at the end
	heap       heapLog

	mu    sync.Mutex
	round int     // guarded by mu
	lives []*life // whose books are not closed; guarded by mu
}

func newSoak(c config) (*soak, error) {
	lanes, err := lanesFor(c.executor)
	if err != nil {
		return nil, err
	}
	if c.duration <= 0 || c.span <= 0 || c.producers < 1 || c.pending < 0 {
		return nil, errors.New("-for, -life and -producers must be positive, and -pending not negative")
	}
	if _, err := hashedwheel.New(hashedwheel.WithTick(c.tick)); err != nil {
		return nil, err
	}
	c.span = min(c.span, c.duration/time.Duration(endings))
	s := &soak{config: c, lanes: lanes}
	s.dice.Store(c.seed)
	return s, nil
}

// run goes on for the duration, until the first difference, or until ctx is done. It prints its
// progress every few seconds.
func (s *soak) run(ctx context.Context, out io.Writer) {
	s.heap.keepGoroutines(s.pending)
	s.began = time.Now()
	stop := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { s.watch(out, stop) })
	s.goroutines = runtime.NumGoroutine()
	for round := 0; round == 0 || ctx.Err() == nil && !s.isOver(round); round++ {
		s.runRound(ctx, round)
	}
	s.heap.judge(&s.faults)
	s.remaining = runtime.NumGoroutine()
	close(stop)
	beside.Wait()
}

// isOver reports whether there is to be no such round. On a machine that is busy
// a round may take long, but no way to end a life is left out.
func (s *soak) isOver(round int) bool {
	late := time.Since(s.began) > s.duration-s.span/2
	return late && round >= int(endings) || len(s.faults.lines()) > 0
}

// runRound is one life of each lane.
func (s *soak) runRound(ctx context.Context, round int) {
	lives := make([]*life, len(s.lanes))
	for i, ln := range s.lanes {
		lives[i] = ln.begin(s)
	}
	s.publish(round, slices.Clone(lives))
	for i := range samplesALife {
		select {
		case <-time.After(s.span / samplesALife):
		case <-ctx.Done(): // end this round early
		}
		s.sampleHeap(i, lives)
	}
	var ends sync.WaitGroup
	for i, l := range lives {
		how := ending((round + i) % int(endings))
		ends.Go(func() { l.end(how) })
	}
	ends.Wait()
	clear(lives) // let the collector have them
	s.checkGoroutines()
	s.heap.between = append(s.heap.between, s.heap.live())
}

// publish lets progress see a round.
func (s *soak) publish(round int, lives []*life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round, s.lives = round, lives
}

// close adds the books of a life that is over to its lane's.
func (s *soak) close(l *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.lane.add(l)
	s.lives = slices.DeleteFunc(s.lives, func(other *life) bool { return other == l })
}

// roll returns the next number of a sequence that the seed determines, though
// not which goroutine gets it.
func (s *soak) roll() uint64 {
	x := s.dice.Add(0x9e3779b97f4a7c15) // splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const progressEvery = 5 * time.Second

// watch prints progress, and ends the program if a round does.
func (s *soak) watch(out io.Writer, stop chan struct{}) {
	progress := time.NewTicker(progressEvery)
	defer progress.Stop()
	stuck := time.NewTimer(s.duration + 10*s.patience)
	defer stuck.Stop()
	for {
		select {
		case <-stop:
			return
		case <-progress.C:
			fmt.Fprintln(out, s.progress())
		case <-stuck.C:
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			fmt.Fprintln(os.Stderr, "soak: stuck: a call on a timer, or a task, did not return")
			os.Exit(1)
		}
	}
}
