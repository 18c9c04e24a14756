// Package peers adapts timers to one small interface, each in its file, so that
// every load runs the same code against all of them.
package peers

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Peer is one kind of timer.
type Peer struct {
	Name   string // as on the command line and in the tables
	Module string // import path of its module; empty if it has none
	What   string // a description in a few words
	Cannot string // one line on its limits; empty if none are known

	Least time.Duration // the shortest tick; 0 for any
	Fixed bool          // Least is the only tick
	Loads []string      // the only loads it takes part in; nil for all
	Most  int           // the most timeouts that it can own at once; 0 for any number
	Owns  bool          // its Timer is an Owner
	At    bool          // its Owned is an OwnedAt

	// Guard closes idle connections of a server after d; nil for none.
	Guard func(d time.Duration) Guard

	// Await opens a timer for callers that wait for answers; nil for none.
	Await func(tick time.Duration) func() Await

	// Wheel opens a timer of this library with options; nil for others.
	Wheel func(tick time.Duration, opts ...hashedwheel.Option) Timer

	// Open starts a timer with a tick, if it has ticks. It is nil for a peer that only
	// guards, or only awaits.
	Open func(tick time.Duration) Timer
}

// Timer is an open timer.
type Timer interface {
	// Arm calls f once d has passed.
	Arm(d time.Duration, f func()) Armed
	Close()
}

// Armed is one pending timeout. The result of Stop differs among the peers.
type Armed interface{ Stop() bool }

// Owned is a timeout that one goroutine arms again and again.
type Owned interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// An Owner is a Timer whose timeouts can be armed again after they were stopped.
type Owner interface {
	Own(f func()) Owned
}

// OwnedAt is an Owned that can be armed for a time that the caller has read.
type OwnedAt interface {
	Owned
	ResetAt(at time.Time) bool
}

// Bare is a Timer with a cheaper timeout that calls no function.
type Bare interface {
	ArmBare(d time.Duration) Armed
}

// Loser is a Timer that counts the armings it has refused.
type Loser interface {
	Lost() int
}

// A Seater is a Timer whose timeouts can be part of a larger struct.
type Seater interface {
	// NewSession returns a new struct of 256 bytes with a timeout in it, due in d.
	NewSession(d time.Duration) Armed
}

// NewSession returns a struct of 256 bytes with a timeout of t in it, or with a
// pointer to the timeout where t does not permit more.
func NewSession(t Timer, d time.Duration) Armed {
	if s, ok := t.(Seater); ok {
		return s.NewSession(d)
	}
	return &session{Armed: t.Arm(d, nop)}
}

func nop() {}

type session struct {
	Armed
	_ [256 - 16]byte
}

// All returns every peer. The first is package time, to which the others are
// compared.
func All() []Peer {
	std := std
	std.Guard, std.Await = guardByTimer(stdTimer{}), awaitNew(std.Open)
	ours := hashedwheels()
	ours[0].Await = awaitNew(ours[0].Open)
	return slices.Concat(
		[]Peer{std, again(std), stdContext, stdConn, ours[0], again(ours[0])},
		ours[1:],
		[]Peer{timingWheel, goZero, natsTHW},
		classics(),
		guards(),
		awaiters(),
	)
}

// Timers returns the peers that can be opened.
func Timers() []Peer {
	return slices.DeleteFunc(All(), func(p Peer) bool { return p.Open == nil })
}

// Again ends the name of a peer that is measured a second time: the difference is
// the noise of the machine.
const Again = "-again"

func again(p Peer) Peer {
	p.Name, p.What = p.Name+Again, "the same as "+p.Name+", to see how far two identical configurations differ"
	return p
}

// Choose returns the peers whose names match one of the comma-separated
// patterns, in the order of All; all for "". It also returns a pattern that matches
// no peer.
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

// Tick returns p's tick when another is asked for.
func (p Peer) Tick(asked time.Duration) time.Duration {
	if p.Fixed {
		return p.Least
	}
	return max(asked, p.Least)
}

// Takes reports whether p takes part in a load.
func (p Peer) Takes(load string) bool {
	return p.Loads == nil || slices.Contains(p.Loads, load)
}

// ArmNever returns the cheapest way to arm a timeout of t that is not meant to
// expire.
func ArmNever(t Timer) func(d time.Duration) Armed {
	if b, ok := t.(Bare); ok {
		return b.ArmBare
	}
	return func(d time.Duration) Armed { return t.Arm(d, nop) }
}

// Own returns a timeout of t to arm again and again. If t is no Owner, the timeout is
// stopped and a new one armed.
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
