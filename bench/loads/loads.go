// Package loads holds what the timers are put to: each case of a load opens a
// peer, runs it for a while and returns its figures. A case leaves its timer
// open and its garbage behind: it is meant to have a process of its own.
package loads

import (
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// A Load is one way to use a timer, in one or more cases.
type Load struct {
	Name  string // as on the command line
	What  string // a sentence or two on how to read its figures
	Cases func(c Config) []Case
}

// A Case is a Load at one size or tick.
type Case struct {
	Name  string
	Tick  time.Duration // the tick that peers are asked for
	Exact bool          // peers that cannot have that tick have no part in it
	Few   bool          // only the standard library, this one and their equals have a part in it: it takes long
	Guard bool          // peers that cannot guard a server have no part in it
	Await bool          // nor those that cannot wait for an answer, in one that has this
	Owned bool          // peers whose timeouts cannot be armed again once stopped have no part in it

	// Run returns the figures of one round, and a Fault if the peer failed.
	Run func(p peers.Peer, c Config) ([]Figure, error)
}

// Figure is one measured value, the same for all peers that have a part in the
// case.
type Figure struct {
	Name  string
	Unit  string
	Value float64 // NaN if there is only a mark
	Mark  string  // what the value alone would not tell
}

// Fault is what a peer did instead of what the case asked for.
type Fault string

func (f Fault) Error() string { return string(f) }

// Units of figures that the report compares with the standard library.
const (
	PerOp     = "ns/op"
	Each      = "ns each"
	PerSecond = "ops/s"
	Bytes     = "B"
	MiB       = "MiB"
	Seconds   = "s"
	Millis    = "ms"
	Micros    = "µs"
	OfCore    = "% of a core"
)

// Config scales the loads. It is passed on to child processes as JSON.
type Config struct {
	Rate    time.Duration // how long a rate is measured
	Pending []int         // how many others are pending while timeouts are armed and stopped
	Many    int           // how many timeouts count as very many
	Storm   int           // how many are moved earlier at once
	Fire    []int         // how many are armed and fired
	RPC     time.Duration // how long calls are replayed
	Heap    time.Duration // how long the heap is watched
	Due     int           // how many are due in one tick
	DueFor  time.Duration // how long others are armed about then

	Stays, StaysOf int           // how many are stopped, of how many
	Steady         []int         // deadlines a second
	SteadyFor      time.Duration // how long
	Crowd          []int         // goroutines of a storm
	Mixed          int           // connections, their reads a second, and calls a second
	MixedFor       time.Duration
	CPUs           []int // GOMAXPROCS
	Conns          int   // connections with a deadline each

	Flying     int           // calls of a client
	Serve      time.Duration // how long a server is put to each rate
	ServeConns []int         // its connections
	FallIdle   time.Duration // its idle timeout, when all fall idle at once

	Ticks []time.Duration // of timers that wait
	Idle  time.Duration   // how long they wait
	Late  int             // how many timeouts are looked at for their lateness
	Grow  []int           // how many are pending as the cost grows
	Limit time.Duration   // after which a peer that is not done hangs
}

// Full is the configuration whose figures are worth quoting.
func Full() Config {
	return Config{
		Rate:    500 * time.Millisecond,
		Pending: []int{0, 100_000, 1_000_000},
		Many:    1_000_000,
		Storm:   160_000,
		Fire:    []int{500_000, 1_000_000},
		RPC:     4 * time.Second,
		Heap:    3 * time.Second,
		Due:     1_000_000,
		DueFor:  3 * time.Second,
		Stays:   45_000, StaysOf: 200_000,
		Steady: []int{100_000, 1_000_000}, SteadyFor: 3 * time.Second,
		Crowd: []int{2, 24},
		Mixed: 100_000, MixedFor: 3 * time.Second,
		CPUs: CPUs(), Conns: min(1_000_000, peers.Connections()),
		Flying: 10_000, Serve: 2 * time.Second, ServeConns: []int{100, 10_000}, FallIdle: 4 * time.Second,
		Ticks: []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Idle:  time.Second,
		Late:  2000,
		Grow:  []int{1e3, 1e4, 1e5, 1e6, 1e7},
		Limit: 90 * time.Second,
	}
}

// Short is a tenth of it, to see that everything runs.
func Short() Config {
	return Config{
		Rate:    50 * time.Millisecond,
		Pending: []int{0, 100_000},
		Many:    100_000,
		Storm:   16_000,
		Fire:    []int{100_000},
		RPC:     500 * time.Millisecond,
		Heap:    500 * time.Millisecond,
		Due:     100_000,
		DueFor:  500 * time.Millisecond,
		Stays:   4_500, StaysOf: 20_000,
		Steady: []int{100_000}, SteadyFor: 500 * time.Millisecond,
		Crowd: []int{2, 24},
		Mixed: 10_000, MixedFor: 500 * time.Millisecond,
		CPUs: CPUs(), Conns: min(1_000, peers.Connections()),
		Flying: 1_000, Serve: 100 * time.Millisecond, ServeConns: []int{100}, FallIdle: time.Second,
		Ticks: []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Idle:  200 * time.Millisecond,
		Late:  300,
		Grow:  []int{1e3, 1e4, 1e5},
		Limit: 20 * time.Second,
	}
}

// All returns every load.
func All() []Load {
	return []Load{arm, rearm, move, fire, expire, rpc, reuse, steady, due, memory, collector, idle, late, storms, mixed, grow, cores, echo, overHTTP, client}
}

// Find returns a load by its name.
func Find(name string) (Load, bool) {
	i := slices.IndexFunc(All(), func(l Load) bool { return l.Name == name })
	if i < 0 {
		return Load{}, false
	}
	return All()[i], true
}

// Find returns a case by its name.
func (l Load) Find(name string, c Config) (Case, bool) {
	cases := l.Cases(c)
	i := slices.IndexFunc(cases, func(k Case) bool { return k.Name == name })
	if i < 0 {
		return Case{}, false
	}
	return cases[i], true
}

// Unfit returns why p has no part in a case, or "".
func Unfit(l Load, k Case, p peers.Peer) string {
	if !p.Takes(l.Name) {
		return "not supported"
	}
	if k.Guard && p.Guard == nil || k.Await && p.Await == nil || !k.Guard && !k.Await && p.Open == nil {
		return "not supported"
	}
	if k.Few && !isFew(p.Name) {
		return "not supported: left out, it takes long"
	}
	if tick := p.Tick(k.Tick); k.Exact && tick != k.Tick {
		return "not supported: its tick is " + tick.String()
	}
	if k.Owned && !p.Owns {
		return "not supported: each arming is a new timeout"
	}
	return ""
}

// isFew leaves one design of each kind.
func isFew(peer string) bool {
	return slices.Contains([]string{
		"std", "std" + peers.Again, "hashedwheel", "hashedwheel" + peers.Again, "timingwheel", "nats-thw", "heap", "rounds", "hierarchy",
	}, peer)
}
