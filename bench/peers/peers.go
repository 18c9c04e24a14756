// Package peers puts timers behind one small interface, one file each, so that
// every load runs the same code against all of them.
package peers

import (
	"path"
	"slices"
	"strings"
	"time"
)

// A Peer is one kind of timer.
type Peer struct {
	Name   string // as on the command line and in the tables
	Module string // import path of its module, empty for one that has none
	What   string // what it is, in a few words
	Cannot string // the one line on what it cannot do; empty if nothing came to light

	Least time.Duration // the shortest tick it has; 0 if that does not matter
	Fixed bool          // Least is the only tick it has
	Loads []string      // the only loads it has a part in; nil for all
	Most  int           // the most timeouts it can own at once; 0 for any number
	Owns  bool          // its Timer is an Owner, of timeouts that can be armed again once stopped
	At    bool          // its Owned is an OwnedAt, to be armed by ResetAt

	// Guard closes idle connections of a server after d; nil for a peer that is not
	// measured in one.
	Guard func(d time.Duration) Guard

	// Await opens a timer with a tick, for callers that wait for answers; nil for a peer
	// that is not measured so.
	Await func(tick time.Duration) func() Await

	// Open starts a timer with a tick; one without a tick ignores it. It is nil for a
	// peer that only guards, or only awaits.
	Open func(tick time.Duration) Timer
}

// Timer is an open timer.
type Timer interface {
	// Arm has f called once d has passed.
	Arm(d time.Duration, f func()) Armed
	Close()
}

// Armed is one pending timeout. What Stop returns differs among the peers.
type Armed interface{ Stop() bool }

// Owned is a timeout that one goroutine arms again and again.
type Owned interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// An Owner is a Timer whose timeouts can be made once and armed again.
type Owner interface {
	Own(f func()) Owned
}

// OwnedAt is an Owned that can be armed for a time which the caller has read.
type OwnedAt interface {
	Owned
	ResetAt(at time.Time) bool
}

// Bare is a Timer that can arm a timeout nobody waits for yet, cheaper than one
// that has a function called.
type Bare interface {
	ArmBare(d time.Duration) Armed
}

// Loser is a Timer that tells how many armings it has refused.
type Loser interface {
	Lost() int
}

// All returns every peer, the standard library, to which the others are
// compared, first.
func All() []Peer {
	std := std
	std.Guard, std.Await = guardByTimer(stdTimer{}), awaitNew(std.Open)
	ours := hashedwheels()
	ours[0].Await = awaitNew(ours[0].Open)
	return slices.Concat(
		[]Peer{std, again(std), stdContext, stdAfter, stdConn, ours[0], again(ours[0])},
		ours[1:],
		[]Peer{timingWheel, antlabsWheel, antlabsHeap, ouqiang, goZero, gost, gostRetry, natsTHW},
		classics(),
		guards(),
		awaiters(),
	)
}

// Timers returns those of All that can be opened.
func Timers() []Peer {
	return slices.DeleteFunc(All(), func(p Peer) bool { return p.Open == nil })
}

// Again ends the name of a peer that is another one once more: what differs
// between the two is what the machine adds.
const Again = "-again"

func again(p Peer) Peer {
	p.Name, p.What = p.Name+Again, "the same as "+p.Name+": how far two identical configurations differ"
	return p
}

// Choose returns the peers whose names match one of the comma-separated
// patterns, in the order of All; all for "". It also returns a pattern that
// matches none.
func Choose(patterns string) (chosen []Peer, unknown string) {
	if patterns == "" {
		return All(), ""
	}
	used := map[string]bool{}
	for _, p := range All() {
		matches := false
		for pattern := range strings.SplitSeq(patterns, ",") {
			if ok, _ := path.Match(pattern, p.Name); ok {
				matches, used[pattern] = true, true
			}
		}
		if matches {
			chosen = append(chosen, p)
		}
	}
	for pattern := range strings.SplitSeq(patterns, ",") {
		if !used[pattern] {
			return nil, pattern
		}
	}
	return chosen, ""
}

// Tick returns the tick that p has when asked for one.
func (p Peer) Tick(asked time.Duration) time.Duration {
	if p.Fixed {
		return p.Least
	}
	return max(asked, p.Least)
}

// Takes reports whether p has a part in a load.
func (p Peer) Takes(load string) bool {
	return p.Loads == nil || slices.Contains(p.Loads, load)
}

// ArmNever returns the cheapest way to arm a timeout of t that is not meant to
// expire.
func ArmNever(t Timer) func(d time.Duration) Armed {
	if b, ok := t.(Bare); ok {
		return b.ArmBare
	}
	nop := func() {}
	return func(d time.Duration) Armed { return t.Arm(d, nop) }
}

// Own returns a timeout of t to arm again and again: the peer's own kind, or
// one that is stopped and armed anew if the peer has none.
func Own(t Timer, f func()) Owned {
	if o, ok := t.(Owner); ok {
		return o.Own(f)
	}
	return &renewed{timer: t, f: f}
}

type renewed struct {
	timer Timer
	f     func()
	now   Armed
}

func (r *renewed) Reset(d time.Duration) bool {
	was := r.Stop()
	r.now = r.timer.Arm(d, r.f)
	return was
}

func (r *renewed) Stop() bool {
	if r.now == nil {
		return false
	}
	was := r.now.Stop()
	r.now = nil
	return was
}
