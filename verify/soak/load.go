package main

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hashedwheel/hashedwheel"
)

// load is very many timeouts pending at once on one timer. The first half are the
// caller's own, in slabs, the others from AfterFunc, all an hour away or more.
// What becomes of each depends on its index:
//
//	i%10   0 stopped   1 moved later   2 moved earlier   3 moved to now, expires   4…9 left alone
//
// Then Timer.Stop must return all but the 0s and the 3s, each once.
type load struct {
	n         int
	tm        *hashedwheel.Timer
	producers int
	patience  time.Duration

	slabs    []*slab
	timeouts []*hashedwheel.Timeout // from AfterFunc

	marks  []mark       // what became of each
	late   histogram    // the expired
	ran    atomic.Int64 // of the timeouts that were to expire
	early  atomic.Int64
	moved  time.Time   // before the first was moved to now
	byHand atomic.Bool // tasks are called for what Timer.Stop returned

	armings, superseded, canceled int64 // as the calls said
}

// mark counts what became of a timeout: markRan for each run, and markReturned
// for each time that Timer.Stop returned it.
type mark = atomic.Uint32

const (
	markRan      = 1 << 16
	markReturned = 1
)

// slab is the timeouts of some connections, say, and the task of all of them.
type slab struct {
	load     *load
	first    int
	timeouts [slabSize]hashedwheel.Timeout
}

const slabSize = 1023 // 64 KiB, with the fields before

// Run finds the timeout by its place, so it holds nothing else.
func (s *slab) Run(to *hashedwheel.Timeout) {
	at := uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(&s.timeouts[0]))
	s.load.expire(s.first + int(at/unsafe.Sizeof(*to)))
}

// at returns a timeout by its index.
func (l *load) at(i int) *hashedwheel.Timeout {
	if half := l.n / 2; i >= half {
		return l.timeouts[i-half]
	}
	return &l.slabs[i/slabSize].timeouts[i%slabSize]
}

// expire is every task.
func (l *load) expire(i int) {
	if l.byHand.Load() {
		l.marks[i].Add(markReturned)
		return
	}
	if time.Since(l.moved) < soonFor(i) {
		l.early.Add(1)
	}
	l.late.note(int64(time.Since(l.at(i).Deadline())))
	l.marks[i].Add(markRan)
	l.ran.Add(1)
}

// soonFor is the delay of a timeout that is to expire: these spread over a second.
func soonFor(i int) time.Duration {
	return time.Second + time.Duration(i*7919%1_000_000)*time.Microsecond
}

func farFor(i int) time.Duration { return time.Hour + time.Duration(i*7919%7200)*time.Second }

// armOwned arms the half that is the caller's own, in slabs.
func (l *load) armOwned() {
	l.each(0, len(l.slabs), 1, func(k int) (n int64) {
		s := &slab{load: l, first: k * slabSize}
		l.slabs[k] = s
		for i := s.first; i < min(s.first+slabSize, l.n/2); i++ {
			to := &s.timeouts[i-s.first]
			to.Init(l.tm, s)
			to.Reset(farFor(i))
		}
		return 0
	})
	l.armings += int64(l.n / 2)
}

func (l *load) armByAfterFunc() {
	l.each(l.n/2, l.n, 1, func(i int) int64 {
		l.timeouts[i-l.n/2] = l.tm.AfterFunc(farFor(i), func() { l.expire(i) })
		return 0
	})
	l.armings += int64(l.n - l.n/2)
}

// move resets every tenth, and counts how many were pending.
func (l *load) move(digit int, d func(i int) time.Duration) {
	l.superseded += l.each(digit, l.n, 10, func(i int) int64 {
		if l.at(i).Reset(d(i)) {
			return 1
		}
		return 0
	})
	l.armings += int64(tenth(l.n, digit))
}

func (l *load) stopSome() {
	l.canceled += l.each(0, l.n, 10, func(i int) int64 {
		if l.at(i).Stop() {
			return 1
		}
		return 0
	})
}

// awaitExpired waits until those have run that are to.
func (l *load) awaitExpired() {
	for end := time.Now().Add(2*time.Second + l.patience); l.ran.Load() < int64(tenth(l.n, 3)) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// tenth returns how many indices below n end in a digit.
func tenth(n, digit int) int { return (n + 9 - digit) / 10 }

// each calls f for first, first+step and so on in several goroutines, in stretches, and returns the
// sum of the results.
func (l *load) each(first, end, step int, f func(i int) int64) int64 {
	var sum atomic.Int64
	var workers sync.WaitGroup
	stretch := ((end-first)/step/l.producers + 1) * step
	for from := first; from < end; from += stretch {
		workers.Go(func() {
			var n int64
			for i := from; i < min(from+stretch, end); i += step {
				n += f(i)
			}
			sum.Add(n)
		})
	}
	workers.Wait()
	return sum.Load()
}
