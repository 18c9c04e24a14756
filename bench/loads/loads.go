// Package loads holds the loads of the comparison. Each case of a load opens a
// peer, uses it for a while and returns its figures. It leaves its timer open and
// its garbage behind, since it has a process to itself.
package loads

import (
	"math"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// A Load is one way to use a timer, in one or more cases.
type Load struct {
	Name  string // as on the command line
	What  string // a sentence or two on how to read its figures
	Flat  bool   // one table for all cases
	Cases func(c Config) []Case
}

// A Case is a Load at one size or tick.
type Case struct {
	Name  string
	Tick  time.Duration // the tick that peers are asked for
	Exact bool          // excludes peers that cannot have that tick
	Only  []string      // the peers that take part; nil for all
	Ours  bool          // excludes peers of other libraries
	Guard bool          // excludes peers that cannot guard a server
	Await bool          // excludes peers that cannot wait for an answer
	Owned bool          // excludes peers whose stopped timeouts cannot be armed again

	// Handicap slows filing: see the package internal/handicap.
	Handicap time.Duration

	// Run returns the figures of one round, and a Fault if the peer failed.
	Run func(p peers.Peer, c Config) ([]Figure, error)
}

// Figure is one measured value. All peers of a case return the same figures.
type Figure struct {
	Name  string
	Unit  string
	Value float64 // NaN if there is only a mark
	Mark  string  // a remark on the value
}

// Fault describes how a peer failed a case.
type Fault string

func (f Fault) Error() string { return string(f) }

// Units of figures.
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

// cpuFigure returns a figure of CPU time.
func cpuFigure(name, unit string, value float64) Figure {
	if !machine.HasUsage {
		return Figure{Name: name, Unit: unit, Value: math.NaN(), Mark: "skipped: needs getrusage"}
	}
	return Figure{Name: name, Unit: unit, Value: value}
}

// Config sizes the loads. It is passed on to child processes as JSON.
type Config struct {
	Scale float64 // of all sizes and times; figures at a scale of 1 are worth quoting
	CPUs  []int   // GOMAXPROCS, in the load cores
}

// Count scales a number of timeouts, calls or goroutines.
func (c Config) Count(full int) int { return max(5, int(math.Round(float64(full)*c.Scale))) }

// Time scales a time.
func (c Config) Time(full time.Duration) time.Duration {
	return max(20*ms, time.Duration(float64(full)*c.Scale))
}

const ms = time.Millisecond

// All returns every load.
func All() []Load {
	return []Load{arm, rearm, move, fire, expire, rpc, reuse, steady, due, memory, collector, idle, late, storms, sessions, moved, hold, stops, waiters, quiet, mixed, grow, cores, echo, overHTTP, client}
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

// Unfit returns why p takes no part in a case, or "".
func Unfit(l Load, k Case, p peers.Peer) string {
	switch tick := p.Tick(k.Tick); {
	case !p.Takes(l.Name),
		k.Guard && p.Guard == nil, k.Await && p.Await == nil, !k.Guard && !k.Await && p.Open == nil,
		k.Only != nil && !slices.Contains(k.Only, p.Name), (k.Ours || k.Handicap > 0) && p.Wheel == nil:
		return "not supported"
	case k.Exact && tick != k.Tick:
		return "not supported: its tick is " + tick.String()
	case k.Owned && !p.Owns:
		return "not supported: each arming is a new timeout"
	}
	return ""
}

// Cases that take long have fewer peers: one design of each kind; package time and
// this library, each twice or once; or once with tasks on the worker.
var (
	few         = append([]string{"timingwheel", "nats-thw", "heap", "rounds", "hierarchy"}, twins...)
	twins       = []string{"std", "std" + peers.Again, "hashedwheel", "hashedwheel" + peers.Again}
	pair        = []string{"std", "hashedwheel"}
	inlinePeers = []string{"std", "hashedwheel-inline"}
)
