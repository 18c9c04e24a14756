package peers_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// sound are the peers that have to do what the others are only watched for.
var sound = map[string]bool{
	"std": true, "std-again": true, "hashedwheel-again": true, "std-context": true, "std-after": true, "std-conn": true,
	"hashedwheel": true, "hashedwheel-inline": true, "hashedwheel-pool": true, "hashedwheel-resetat": true,
	"hashedwheel-1ms": true, "hashedwheel-10ms": true, "hashedwheel-100ms": true,
	"list": true, "heap": true, "rounds": true, "hierarchy": true,
}

// known are the failures that have been seen of the others, at rest.
var known = map[string]string{
	"timingwheel":   "early",
	"antlabs-wheel": "early",
	"ouqiang":       "early, for a delay that is no whole number of seconds",
	"go-zero":       "early",
	"gost":          "early",
	"gost-retry":    "early",
}

const tick = 10 * time.Millisecond

// watch is what became of one timeout.
type watch struct {
	fired int
	early time.Duration
}

// TestFiresOnceAndNotEarly asks of every peer what a timer is for.
func TestFiresOnceAndNotEarly(t *testing.T) {
	for _, p := range peers.Timers() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			lost, twice, early := 0, 0, time.Duration(0)
			for _, w := range fireSome(p) {
				switch {
				case w.fired == 0:
					lost++
				case w.fired > 1:
					twice++
				}
				early = max(early, w.early)
			}
			if lost+twice > 0 || early > 0 {
				report := t.Logf
				if sound[p.Name] {
					report = t.Errorf
				}
				report("%d lost, %d fired twice, EARLY by up to %v (known: %q)", lost, twice, early, known[p.Name])
			}
		})
	}
}

// fireSome arms fifty timeouts, stops every fifth, and returns what became of
// the others.
func fireSome(p peers.Peer) []watch {
	tm := p.Open(tick)
	defer tm.Close()
	var mu sync.Mutex
	watches := make([]watch, 50)
	for i := range watches {
		w := &watches[i]
		d := time.Duration(20+7*i) * time.Millisecond
		due := time.Now().Add(d)
		to := tm.Arm(d, func() {
			mu.Lock()
			defer mu.Unlock()
			w.fired++
			w.early = max(w.early, time.Until(due))
		})
		if i%5 == 4 {
			to.Stop()
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(500*time.Millisecond + 2*p.Tick(tick) + slack)
	mu.Lock()
	defer mu.Unlock()
	var armed []watch
	for i, w := range watches {
		if i%5 != 4 {
			armed = append(armed, w)
		} else if w.fired > 0 {
			armed = append(armed, watch{fired: 2}) // although it was stopped
		}
	}
	return armed
}

const slack = time.Second // for a machine that does something else, too

func TestOwnedCanBeArmedAgain(t *testing.T) {
	for _, p := range peers.Timers() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			report := t.Logf
			if sound[p.Name] {
				report = t.Errorf
			}
			tm := p.Open(tick)
			defer tm.Close()
			if _, owns := tm.(peers.Owner); p.Owns && !owns {
				t.Error("Owns, but its timer is no Owner")
			}
			fired := make(chan struct{}, 3)
			own := peers.Own(tm, func() { fired <- struct{}{} })
			own.Reset(time.Hour)
			own.Reset(2 * time.Hour)
			own.Stop()
			own.Reset(time.Hour)
			own.Reset(50 * time.Millisecond)
			select {
			case <-fired:
			case <-time.After(2*p.Tick(tick) + slack):
				report("moved from an hour to 50ms: did not fire")
			}
			own.Stop()
		})
	}
}

func TestNamesAreDistinctAndChosenByPattern(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range peers.All() {
		if seen[p.Name] {
			t.Errorf("two peers are called %q", p.Name)
		}
		seen[p.Name] = true
	}
	ours, unknown := peers.Choose("hashedwheel*,std")
	if len(ours) != 11 || ours[0].Name != "std" || unknown != "" {
		t.Errorf("Choose: %d peers, unknown %q", len(ours), unknown)
	}
	if _, unknown := peers.Choose("std,nonesuch"); unknown != "nonesuch" {
		t.Errorf("Choose: unknown %q", unknown)
	}
}

// TestAdapterOfOursAddsNoAllocations holds what the figures rely on.
func TestAdapterOfOursAddsNoAllocations(t *testing.T) {
	ours, _ := peers.Choose("hashedwheel")
	tm := ours[0].Open(tick)
	defer tm.Close()
	arm := peers.ArmNever(tm)
	if n := testing.AllocsPerRun(1000, func() { arm(time.Hour).Stop() }); n != 1 {
		t.Errorf("arm and stop: %v allocations, want 1", n)
	}
	own := peers.Own(tm, func() {})
	if n := testing.AllocsPerRun(1000, func() { own.Reset(time.Hour); own.Stop() }); n != 0 {
		t.Errorf("re-arm and stop: %v allocations, want 0", n)
	}
}

// TestAntlabsWheelResetBlocks records why its adapter does not use Reset.
func TestAntlabsWheelResetBlocks(t *testing.T) {
	p, _ := peers.Choose("antlabs-wheel")
	to := p[0].Open(tick).Arm(time.Hour, func() {}) // not closed: the goroutine below may hold its lock
	resetter, ok := to.(interface{ Reset(time.Duration) bool })
	if !ok {
		t.Fatal("it has no Reset any more")
	}
	done := make(chan struct{})
	go func() {
		resetter.Reset(time.Hour)
		close(done)
	}()
	select {
	case <-done:
		t.Log("Reset to the same slot returns now: the adapter could use it")
	case <-time.After(slack):
		t.Log("known: Reset to the same slot hangs")
	}
	runtime.KeepAlive(to)
}
