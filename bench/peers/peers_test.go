package peers_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// sound are the peers whose failures fail the test. Failures of other peers are logged.
var sound = map[string]bool{
	"std": true, "std-again": true, "hashedwheel-again": true, "std-context": true, "std-conn": true,
	"hashedwheel": true, "hashedwheel-inline": true, "hashedwheel-resetat": true,
	"hashedwheel-1ms": true, "hashedwheel-10ms": true, "hashedwheel-100ms": true,
	"list": true, "heap": true, "rounds": true, "hierarchy": true,
}

// known are failures of the others on an idle machine.
var known = map[string]string{
	"timingwheel": "early",
	"go-zero":     "early",
}

const tick = 10 * time.Millisecond

// watch is the outcome of one timeout.
type watch struct {
	fired int
	early time.Duration
}

func TestEveryPeerFiresOnceAndNotEarly(t *testing.T) {
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

// fireSome arms fifty timeouts, stops every fifth, and returns the outcomes of the
// others, and of stopped timeouts that fired.
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
	if sound[p.Name] { // the others may have lost some for good
		await(func() bool {
			mu.Lock()
			defer mu.Unlock()
			for i, w := range watches {
				if i%5 != 4 && w.fired == 0 {
					return false
				}
			}
			return true
		})
	}
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

const slack = time.Second // for a busy machine

// await waits while a very busy machine is late.
func await(isDone func() bool) {
	for end := time.Now().Add(20 * time.Second); !isDone() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func TestOwnedTimeoutsCanBeArmedAgain(t *testing.T) {
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
			patience := 2*p.Tick(tick) + slack
			if sound[p.Name] {
				patience += 20 * time.Second
			}
			select {
			case <-fired:
			case <-time.After(patience):
				report("moved from an hour to 50ms: did not fire")
			}
			own.Stop()
		})
	}
}

func TestPeerNamesAreDistinctAndChosenByPattern(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range peers.All() {
		if seen[p.Name] {
			t.Errorf("two peers are called %q", p.Name)
		}
		seen[p.Name] = true
	}
	ours, unknown := peers.Choose("hashedwheel*,std")
	if len(ours) != 10 || ours[0].Name != "std" || unknown != "" {
		t.Errorf("Choose: %d peers, unknown %q", len(ours), unknown)
	}
	if _, unknown := peers.Choose("std,nonesuch"); unknown != "nonesuch" {
		t.Errorf("Choose: unknown %q", unknown)
	}
}

func TestAdapterOfHashedwheelAddsNoAllocations(t *testing.T) {
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
