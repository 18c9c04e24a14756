package mistakes

import (
	"fmt"
	"time"
)

// Mistake is a change of the library that breaks a promise.
type Mistake struct {
	Name string
	Edit
	Test string // the folder and the name of the test that finds it
}

// chaos finds its mistakes in a library with wide windows.
const chaos = "./verify/chaos TestChaosKeepsTheBooks"

// List has mistakes that neither FuzzTimer nor chaos without wide windows finds in seconds. If you change the code that
// a mistake applies to, adapt the mistake, so that it is still the same.
var List = []Mistake{
	{"Stop gives up if it loses a race",
		Edit{"(t *Timeout) Stop(", "if !ok {\n\t\t\tcontinue", "if !ok {\n\t\t\treturn false"},
		chaos},
	{"Reset gives up a move if it loses a race",
		Edit{"(tm *Timer) tryMove(", "return ok", "return true"},
		chaos},
	{"an arming relies on a push that will be refused",
		Edit{"(tm *Timer) arm(", "isTooLate :=", "isTooLate := false &&"},
		". TestArmOnAStoppedTimerIsRefusedWhileAnotherArmingIsNotPushedYet"},
	{"a pending timeout's memory is kept by the queue's link",
		Edit{"(t *Timeout) unqueue(", "t.link = nil", ""},
		"./verify/promises TestSmallAndGarbageFreeEvenIfTheNeighborIsKept"},
	{"no producer files a stripe that is deep",
		Edit{"(tm *Timer) help(", "tm.guarded.fileStripe(", "_ = tm.guarded.fileStripe; _ = ("},
		". TestProducerFilesItsStripeOnceTheStripeIsDeep"},
}

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
	before("(wk *worker) work(", "if !wasCut &&"),
	before("(a *alarm) announce(", "w := word(race.Load("),
	before("(a *alarm) begin(", "if a.word.CompareAndSwap("),
	before("(a *alarm) init(", "wake()"),
	before("(a *alarm) set(", "a.wakeFor("),
	before("(a *alarm) set(", "if a.sets.CompareAndSwap("),
	before("(a *alarm) wakeFor(", "last.Reset("),
	before("(a *alarm) silence(", "a.word.Store("),
}

func before(in, old string) Edit { return Edit{In: in, Old: old, New: "window()\n" + old} }
