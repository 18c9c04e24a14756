package faults

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The collector at its busiest, and a process short of memory. Timeouts are linked through their own fields, and the
// word and a list are written by unsafe means: if the collector overlooked anything there, it would free it, and
// GODEBUG=clobberfree=1 fills freed memory with 0xdeadbeef.

// parcel is a Timeout by value and a pattern that must be intact when its task runs.
type parcel struct {
	timeout hashedwheel.Timeout
	post    *post
	seal    *[32]uint64
}

// post is many parcels, and the books of their outcomes.
type post struct {
	tm                                     *hashedwheel.Timer
	made, freed, began, ran, ended, spoilt atomic.Int64
}

const pattern = 0x0123456789abcdef

func (p *post) parcel() *parcel {
	x := &parcel{post: p, seal: new([32]uint64)}
	for i := range x.seal {
		x.seal[i] = pattern
	}
	x.timeout.Init(p.tm, x)
	p.made.Add(1)
	runtime.AddCleanup(x, func(freed *atomic.Int64) { freed.Add(1) }, &p.freed)
	return x
}

// Run checks whether any other code has written here.
func (x *parcel) Run(to *hashedwheel.Timeout) {
	x.post.ran.Add(1)
	for _, v := range x.seal {
		if v != pattern || to != &x.timeout {
			x.post.spoilt.Add(1)
			return
		}
	}
}

// send arms a parcel; moves it, stops it, or leaves it alone; and forgets it.
func (p *post) send() {
	x := p.parcel()
	p.began.Add(1)
	x.timeout.Reset(rand.N(20 * timertest.Tick))
	for range rand.IntN(3) {
		if !x.timeout.Reset(rand.N(20 * timertest.Tick)) {
			p.began.Add(1)
		}
	}
	if rand.IntN(2) == 0 && x.timeout.Stop() {
		p.ended.Add(1)
	}
}

// littering collects garbage and makes more of it, until it is ended.
func littering() (end func()) {
	var quit atomic.Bool
	var done sync.WaitGroup
	done.Go(func() {
		var kept [64][]byte
		for !quit.Load() {
			for range 1000 {
				kept[rand.IntN(len(kept))] = make([]byte, rand.IntN(4096))
			}
			runtime.GC()
		}
	})
	return func() {
		quit.Store(true)
		done.Wait()
	}
}

// Every arming has its outcome, no parcel is touched once it is free, and all are freed, although the timer lives on.
func TestFaultCollectorNeverRests(t *testing.T) {
	if !timertest.InOwnProcess(t, "GOGC=1", "GODEBUG=clobberfree=1,gccheckmark=1") {
		return
	}
	p := &post{tm: timertest.New(hashedwheel.WithTick(200*time.Microsecond), hashedwheel.WithWheelSize(2))}
	p.tm.AfterFunc(time.Hour, timertest.Nop)
	end := littering()
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for until := time.Now().Add(timertest.Lasting(time.Second)); time.Now().Before(until); {
				for range 16 {
					p.send()
				}
				time.Sleep(100 * time.Microsecond)
			}
		})
	}
	users.Wait()
	timertest.Returns(t, func() {
		for p.tm.Pending() > 1 || p.ran.Load()+p.ended.Load() < p.began.Load() {
			time.Sleep(timertest.Tick)
		}
	})
	assert.Equal(t, p.began.Load(), p.ran.Load()+p.ended.Load(), "ran %d, stopped %d", p.ran.Load(), p.ended.Load())
	assert.Zero(t, p.spoilt.Load(), "spoilt")
	timertest.Returns(t, func() {
		for p.freed.Load() < p.made.Load() {
			time.Sleep(timertest.Tick)
		}
	})
	end()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d parcels, %d armings, %d ran, %d collections; all are freed",
		p.made.Load(), p.began.Load(), p.ran.Load(), m.NumGC)
	assert.Len(t, timertest.Shutdown(t, p.tm), 1)
}

// Calls that hold a KiB each are armed and stopped by the million. The memory limit holds only because the timer
// releases stopped timeouts.
func TestFaultMemoryIsShort(t *testing.T) {
	const limit, calls, pending = 64 << 20, 1 << 20, 100_000
	if !timertest.InOwnProcess(t, "GOGC=off", "GOMEMLIMIT=64MiB") {
		return
	}
	tm := timertest.New()
	var ran atomic.Int64
	var m runtime.MemStats
	for range pending {
		tm.AfterFunc(timertest.Lasting(time.Second), func() { ran.Add(1) })
	}
	most := uint64(0)
	for i := range calls {
		p := new([1 << 10]byte)
		tm.AfterFunc(time.Hour, func() { p[0]++ }).Stop()
		if i%10_000 == 0 {
			runtime.ReadMemStats(&m)
			most = max(most, m.Sys-m.HeapReleased)
		}
	}
	t.Logf("%d MiB armed and stopped under a limit of %d MiB: %d MiB at most, %d collections",
		calls>>10, limit>>20, most>>20, m.NumGC)
	assert.Less(t, most, uint64(calls<<10/2), "half of it, at the very most")
	timertest.Returns(t, func() {
		for ran.Load() < pending {
			time.Sleep(timertest.Tick)
		}
	})
	assert.Empty(t, timertest.Shutdown(t, tm))
}
