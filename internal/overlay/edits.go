package overlay

import (
	"fmt"
	"time"
)

// Handicap makes the worker and producers take longer to file a timeout.
func Handicap(d time.Duration) []Edit {
	const old = "if t.home != unfiled {"
	return []Edit{{In: "(g *guarded) fileOne(", Old: old, New: fmt.Sprintf("spend(%d)\n\t%s", d, old)}}
}

// Wide makes the windows of the library's races wide: between a load and the CAS that relies on it, between the CAS and
// the push, and wherever else another goroutine may run in between, one sometimes does. All promises hold.
//
// A call takes tens of nanoseconds. With these edits, calls often overlap in the middle, even on one processor.
var Wide = []Edit{
	before("(t *Timeout) cas(", "return t.word.CompareAndSwap"),
	before("(t *Timeout) Stop(", "t.timer.quota.release(1)"),
	before("(tm *Timer) StopAll(", "ended, more = tm.guarded.collect(ended[:0])"),
	before("(tm *Timer) StopAll(", "tm.quota.release(len(ended))"),
	before("(q *mpscQueue) push(", "for {"),
	before("(q *mpscQueue) push(", "if s.head.CompareAndSwap(below, t) {"),
	before("(l *farLane) isDue(", "l.at = now"),
	before("(q *quota) count(", "if q.taken.CompareAndSwap("),
	before("(q *quota) release(", "q.taken.Add(-int64(n))"),
	before("(g *guarded) refuse(", "defer "),
	before("(g *guarded) release(", "for t.load().queued() {"),
	before("(g *guarded) release(", "if t.home != unfiled"),
	before("(g *guarded) claim(", "if t.cas("),
	before("(g *guarded) stop(", "g.lists = append("),
	before("(g *guarded) nextWork(", "if g.stopped"),
	before("(g *guarded) beginPass(", "g.takeLane(&g.queue.near)"),
	before("(g *guarded) beginPass(", "g.intake = len(g.lists)"),
	before("(wk *worker) dispatch(", "wk.lateness.note("),
	before("(wk *worker) wake(", "if wk.calls.Add(1) > 1 {"),
	before("(wk *worker) work(", "if !isRest &&"),
	before("(wk *worker) work(", "kept() // it calls"),
	before("(a *alarm) announce(", "w := word(race.Load("),
	before("(a *alarm) begin(", "if a.word.CompareAndSwap("),
	before("(a *alarm) init(", "wake()"),
	before("(a *alarm) set(", "a.wakeFor("),
	before("(a *alarm) set(", "if a.sets.CompareAndSwap("),
	before("(a *alarm) wakeFor(", "last.Reset("),
	before("(a *alarm) silence(", "a.word.Store("),
}

func before(in, old string) Edit { return Edit{In: in, Old: old, New: "window()\n" + old} }
