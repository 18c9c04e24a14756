package main

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// peer is package time or this library.
type peer struct {
	name string
	// open starts a timer; package time has no options.
	open func(opts ...hashedwheel.Option) timer
}

func allPeers() []peer {
	return []peer{
		{"std", func(...hashedwheel.Option) timer { return std{} }},
		{"hashedwheel", func(opts ...hashedwheel.Option) timer { return wheel{hashedwheel.MustNew(opts...)} }},
	}
}

func findPeer(name string) (peer, bool) {
	for _, p := range allPeers() {
		if p.name == name {
			return p, true
		}
	}
	return peer{}, false
}

// ours opens a timer of this library, for a case that is about nothing else.
func ours(opts ...hashedwheel.Option) *hashedwheel.Timer { return hashedwheel.MustNew(opts...) }

// timer is what the loads ask of both.
type timer interface {
	// own returns a timeout to arm again and again.
	own(f func()) owned
	// armStop returns a function that arms a timeout of a kind and stops it. Each
	// goroutine is to have one of its own.
	armStop(k kind) func()
	// member returns a timeout of a crowd.
	member(c *crowd) member
	// after returns a channel that is closed, or sent to, once d has passed.
	after(d time.Duration) <-chan struct{}
	// refused returns how many armings were.
	refused() uint64
}

// owned is a timeout that its owner keeps.
type owned interface {
	arm(d time.Duration)
	stop()
}

type std struct{}

func (std) refused() uint64 { return 0 }

func (std) own(f func()) owned { return &stdOwned{f: f} }

type stdOwned struct {
	f func()
	t *time.Timer
}

func (o *stdOwned) arm(d time.Duration) {
	if o.t == nil {
		o.t = time.AfterFunc(d, o.f)
		return
	}
	o.t.Reset(d)
}

func (o *stdOwned) stop() { o.t.Stop() }

func (std) after(d time.Duration) <-chan struct{} {
	closed := make(chan struct{})
	time.AfterFunc(d, func() { close(closed) })
	return closed
}

type wheel struct{ *hashedwheel.Timer }

func (w wheel) refused() uint64 { return w.Stats().Rejected }

func (w wheel) own(f func()) owned {
	o := new(wheelOwned)
	o.to.Init(w.Timer, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { f() }))
	return o
}

type wheelOwned struct{ to hashedwheel.Timeout }

// arm tries again until it is not refused: what a full timer does to a heartbeat
// is delay it.
func (o *wheelOwned) arm(d time.Duration) {
	for o.to.Reset(d); o.to.State() == hashedwheel.Rejected; o.to.Reset(d) {
		time.Sleep(100 * time.Microsecond)
	}
}

func (o *wheelOwned) stop() { o.to.Stop() }

func (w wheel) after(d time.Duration) <-chan struct{} { return w.After(d) }
