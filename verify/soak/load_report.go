package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// runLoad runs a load, prints every step to out, and reports whether the books balance. Its tasks
// are so short that "all" means the fastest executor, Inline.
func runLoad(n int, c config, out io.Writer) (ok bool, err error) {
	if c.executor == "all" {
		c.executor = "inline"
	}
	if _, err := lanesFor(c.executor); err != nil {
		return false, err
	}
	tm, err := hashedwheel.New(append(executorOption(c.executor, new(sync.WaitGroup)), hashedwheel.WithTick(c.tick))...)
	if err != nil {
		return false, err
	}
	l := &load{tm: tm, n: n, producers: c.producers, patience: c.patience, marks: make([]mark, n)}
	l.slabs = make([]*slab, (n/2+slabSize-1)/slabSize)
	l.timeouts = make([]*hashedwheel.Timeout, n-n/2)
	fmt.Fprintf(out, "load of %s timeouts pending at once: tick %v, %d producers, executor %s\n\n", grouped(int64(n)), c.tick, c.producers, c.executor)
	r := &loadReport{load: l, out: out, start: liveHeap()}
	stop := r.watchHeap()
	r.steps()
	stop()
	return r.verdict(), nil
}

// loadReport runs a load's steps, and notes the differences from the expected results.
type loadReport struct {
	*load
	out    io.Writer
	start  uint64 // heap, before the first arming
	peak   atomic.Uint64
	faults faults
}

// watchHeap notes the largest heap until the returned function is called.
func (r *loadReport) watchHeap() (stop func()) {
	quit := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			r.peak.Store(max(r.peak.Load(), m.HeapAlloc))
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() { close(quit); watch.Wait() }
}

func (r *loadReport) steps() {
	half, rest, part := r.n/2, r.n-r.n/2, tenth(r.n, 1)
	owned := r.grown(func() {
		r.step("Init and Reset, in slabs", half, r.armOwned)
		r.stepPending(half)
	})
	byAfterFunc := r.grown(func() {
		r.step("AfterFunc", rest, r.armByAfterFunc)
		r.stepPending(r.n)
	})
	r.step("Reset to later", part, func() { r.move(1, func(i int) time.Duration { return 4 * farFor(i) }) })
	r.step("Reset to earlier", tenth(r.n, 2), func() { r.move(2, func(i int) time.Duration { return farFor(i) / 2 }) })
	r.step("Timeout.Stop", tenth(r.n, 0), r.stopSome)
	r.stepPending(r.n - tenth(r.n, 0))
	r.moved = time.Now()
	r.step("Reset to 1 to 2 s", tenth(r.n, 3), func() { r.move(3, soonFor) })
	r.awaitExpired()
	r.line("  until these have run", int(r.ran.Load()), time.Since(r.moved))
	left := r.n - tenth(r.n, 0) - tenth(r.n, 3)
	var returned []*hashedwheel.Timeout
	r.step("Timer.Stop", left, func() { returned = r.tm.Stop() })
	r.expect("returned by Timer.Stop", len(returned), left)
	r.reckon(returned)
	r.checkEach()
	fmt.Fprintf(r.out, "\n%s a timeout of the caller's own, %s one by AfterFunc and its closure\n", each(owned, half), each(byAfterFunc, rest))
}

// step prints how long f took for n timeouts.
func (r *loadReport) step(name string, n int, f func()) {
	began := time.Now()
	f()
	took := time.Since(began)
	fmt.Fprintf(r.out, "%-26s %13s %10s %8.1f ns each\n", name, grouped(int64(n)), short(took), float64(took)/float64(max(n, 1)))
}

// stepPending calls Pending, and so drains the rest of the queue.
func (r *loadReport) stepPending(want int) {
	began := time.Now()
	n := r.tm.Pending()
	r.expect("Pending", n, want)
	r.line("  then Pending is", n, time.Since(began))
}

func (r *loadReport) line(name string, n int, took time.Duration) {
	fmt.Fprintf(r.out, "%-26s %13s %10s\n", name, grouped(int64(n)), short(took))
}

// grown returns how much larger the heap is after f.
func (r *loadReport) grown(f func()) uint64 {
	before := liveHeap()
	f()
	return liveHeap() - before
}

func each(heap uint64, n int) string {
	return fmt.Sprintf("%.1f bytes", float64(heap)/float64(max(n, 1)))
}

func (r *loadReport) expect(what string, got, want int) {
	if got != want {
		r.faults.add("load", 1, what, fmt.Sprintf("%s, should be %s", grouped(int64(got)), grouped(int64(want))))
	}
}

// reckon waits for all tasks, and marks what Timer.Stop returned.
func (r *loadReport) reckon(returned []*hashedwheel.Timeout) {
	ctx, cancel := context.WithTimeout(context.Background(), r.patience)
	defer cancel()
	if _, err := r.tm.Shutdown(ctx); err != nil {
		r.faults.add("load", 1, "Shutdown timed out", err.Error())
		return
	}
	r.byHand.Store(true)
	for _, to := range returned {
		to.Task().Run(to)
	}
	st := r.tm.Stats()
	r.expect("Stats.Pending", st.Pending, 0)
	r.expect("Stats.Expired", int(st.Expired), int(r.ran.Load()))
	r.expect("Stats.Rejected", int(st.Rejected), 0)
	r.expect("expired before their deadlines", int(r.early.Load()), 0)
	r.expect("canceled by Timeout.Stop", int(r.canceled), tenth(r.n, 0))
	r.expect("moved while pending", int(r.superseded), tenth(r.n, 1)+tenth(r.n, 2)+tenth(r.n, 3))
	r.expect("armings without an outcome", int(r.armings-r.superseded-r.canceled-r.ran.Load())-len(returned), 0)
}

// checkEach holds what became of each timeout to what should have.
func (r *loadReport) checkEach() {
	for i := range r.marks {
		want := uint32(markReturned)
		switch i % 10 {
		case 0:
			want = 0
		case 3:
			want = markRan
		}
		if got := r.marks[i].Load(); got != want {
			r.faults.add("load", 1, "a timeout without its one outcome", fmt.Sprintf("index %d ran %d times and was returned %d times", i, got/markRan, got%markRan))
		}
	}
}

// verdict prints the memory, the books and whether they balance.
func (r *loadReport) verdict() (ok bool) {
	fmt.Fprintf(r.out, "peak heap %s, of these %s for the books; %s of the process\n", bytes(r.peak.Load()), bytes(r.start), residentPeak())
	fmt.Fprintf(r.out, "99%% of the expired were late by at most %s, all by at most %s\n\n", short(r.late.below(0.99)), short(time.Duration(r.late.most.Load())))
	fmt.Fprintf(r.out, "%s armings = %s expired + %s canceled + %s returned + %s superseded\n", grouped(r.armings), grouped(r.ran.Load()),
		grouped(r.canceled), grouped(int64(r.n)-r.canceled-r.ran.Load()), grouped(r.superseded))
	return tellFaults(r.out, &r.faults, "The books balance: each timeout has exactly one outcome, and it is the right one.")
}

// residentPeak returns the most memory that the process has had, where the system has that number.
func residentPeak() string {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return bytes(kib << 10)
		}
	}
	return "an unknown peak"
}
