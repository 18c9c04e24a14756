package peers

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// hashedwheels returns this library: with each of its executors, and armed by
// callers that have read the clock anyway.
func hashedwheels() []Peer {
	return append([]Peer{
		{
			Name:  "hashedwheel",
			What:  "this library, tasks in goroutines (the default)",
			Owns:  true,
			Open:  func(tick time.Duration) Timer { return openWheel(tick) },
			Guard: func(d time.Duration) Guard { return guardByTimer(openWheel(guardTick))(d) },
		},
		{
			Name: "hashedwheel-inline",
			What: "this library, tasks on the worker (Inline)",
			Owns: true,
			Open: func(tick time.Duration) Timer {
				return openWheel(tick, hashedwheel.WithExecutor(hashedwheel.Inline{}))
			},
		},
		{
			Name:  "hashedwheel-pool",
			What:  "this library, tasks in a pool of GOMAXPROCS goroutines",
			Loads: []string{"fire", "rpc", "due", "late"},
			Owns:  true,
			Open: func(tick time.Duration) Timer {
				p := newPool()
				return pooled{openWheel(tick, hashedwheel.WithExecutor(p)), p}
			},
		},
		{
			Name:  "hashedwheel-resetat",
			What:  "this library, ResetAt with a time read once in 256 calls",
			Loads: []string{"rearm", "move"},
			Owns:  true,
			At:    true,
			Open:  func(tick time.Duration) Timer { return openWheel(tick) },
		},
	}, wheelsLikeNettys()...)
}

// wheelsLikeNettys are at the ticks at which Netty is measured, with tasks on the
// worker as Netty's are.
func wheelsLikeNettys() (all []Peer) {
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		all = append(all, Peer{
			Name:  fmt.Sprintf("hashedwheel-%dms", tick.Milliseconds()),
			What:  "this library with Inline, tick of " + tick.String(),
			Loads: []string{"arm", "fire", "rpc"},
			Least: tick,
			Fixed: true,
			Owns:  true,
			Open: func(time.Duration) Timer {
				return openWheel(tick, hashedwheel.WithExecutor(hashedwheel.Inline{}))
			},
		})
	}
	return all
}

type wheel struct{ *hashedwheel.Timer }

func openWheel(tick time.Duration, opts ...hashedwheel.Option) wheel {
	return wheel{hashedwheel.MustNew(append(opts, hashedwheel.WithTick(tick))...)}
}

func (w wheel) Arm(d time.Duration, f func()) Armed { return w.AfterFunc(d, f) }

func (w wheel) Own(f func()) Owned {
	to := new(hashedwheel.Timeout)
	to.Init(w.Timer, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { f() }))
	return to
}

func (w wheel) Close() { w.Stop() }

// pool is the kind of executor that a server has already.
type pool chan func()

func newPool() pool {
	p := make(pool, 1024)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for f := range p {
				f()
			}
		}()
	}
	return p
}

func (p pool) Go(f func()) { p <- f }

type pooled struct {
	wheel
	pool pool
}

// Close ends the pool's goroutines once the last task has been handed out.
func (p pooled) Close() {
	_, _ = p.Shutdown(context.Background())
	close(p.pool)
}

type wheelSession struct {
	hashedwheel.Timeout
	_ [sessionSize - 64]byte
}

func (*wheelSession) Run(*hashedwheel.Timeout) {}

func (w wheel) NewSession(d time.Duration) any {
	s := new(wheelSession)
	s.Init(w.Timer, s)
	s.Reset(d)
	return s
}
