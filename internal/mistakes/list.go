package mistakes

// Mistake is a change of the library that breaks a promise.
type Mistake struct {
	Name  string
	Edits []Edit
	Test  string // the package and the name of the test that finds it, if that is not chaos

	IsRace    bool // the race detector finds it
	IsStalled bool // the test finds it if goroutines lose their processors, see Stalled
}

// duringAPass finds mistakes in the order in which producers and worker change the due of the two lanes.
const duringAPass = "./verify/promises TestAtMostOneTickLateIfArmedDuringAPass"

// fuzz finds mistakes that one call or two show, whenever they are made.
const fuzz = "./verify/fuzz FuzzTimer"

// everyCall finds mistakes that make timeouts late.
const everyCall = "./verify/promises TestNeverEarlyNorMoreThanATickLateByEveryCallAtAnyTime"

// chaos finds most mistakes, in a library with wide windows.
const chaos = "./verify/chaos TestChaosKeepsTheBooks"

// List has all mistakes. If you change the code that a mistake applies to, adapt the mistake, so that it is still the
// same.
var List = []Mistake{
	// Claims, and other compare-and-swaps.
	{
		Name: "an expiry is claimed by a load and a store",
		Edits: []Edit{{In: "Timeout.claim",
			Old: "if t.cas(w, w.withState(Expired)) {",
			New: "window()\n\t\tif t.word.Store(int64(w.withState(Expired)|t.load()&queued)); true {"}},
	},
	{
		Name: "Stop cancels by a load and a store",
		Edits: []Edit{{In: "Timeout.cancel",
			Old: "return !w.queued(), t.cas(w, w.withState(Canceled)|queued)",
			New: "window()\nt.word.Store(int64(w.withState(Canceled) | queued))\n\treturn !w.queued(), true"}},
	},
	{
		Name: "Timer.StopAll cancels by a load and a store",
		Edits: []Edit{{In: "Timeout.cancelForStop",
			Old: "if t.cas(w, w.withState(Canceled)) {",
			New: "window()\n\t\tif t.word.Store(int64(w.withState(Canceled))); true {"}},
	},
	{
		Name: "Reset moves by a load and a store",
		Edits: []Edit{{In: "Timeout.move",
			Old: "next == w || t.cas(w, next)",
			New: "func() bool { window(); t.word.Store(int64(next)); return true }()"}},
	},
	{
		Name: "the worker clears queued by a load and a store",
		Edits: []Edit{{In: "Timeout.unqueue",
			Old: "if t.cas(w, w.unqueued()) {",
			New: "window()\n\t\tif t.word.Store(int64(w.unqueued())); true {"}},
	},
	{
		Name: "pruning drops by a load and a store",
		Edits: []Edit{{In: "Timeout.drop",
			Old: "ok = t.cas(w, w.unqueued())",
			New: "window()\n\tt.word.Store(int64(w.unqueued()))\n\tok = true"}},
	},
	{
		Name: "Stop gives up if it loses a race",
		Edits: []Edit{{In: "Timeout.Stop",
			Old: "if !ok {\n\t\t\tcontinue",
			New: "if !ok {\n\t\t\treturn false"}},
	},
	{
		Name: "Reset gives up a move if it loses a race",
		Edits: []Edit{{In: "Timer.tryMove",
			Old: "return ok",
			New: "return true"}},
	},

	// Answers.
	{
		Name: "Stop returns true for an expired timeout",
		Edits: []Edit{{In: "Timeout.Stop",
			Old: "return false",
			New: "return t.load().state() == Expired"}},
	},
	{
		Name: "Reset returns true for an expired timeout",
		Edits: []Edit{{In: "Timer.arm",
			Old: "return false, tm.hand(t, push, deadline)",
			New: "return w.state() == Expired, tm.hand(t, push, deadline)"}},
	},
	{
		Name: "Move revives a timeout that has expired in between",
		Edits: []Edit{{In: "Timer.move",
			Old: "return false",
			New: "tm.arm(t, deadline, unbounded)\n\treturn false"}},
	},
	{
		Name: "Schedule is silent about a refusal",
		Edits: []Edit{{In: "Timer.push",
			Old: "return ErrStopped",
			New: "return nil"}},
		Test: fuzz,
	},
	{
		Name: "a refusal has the wrong reason",
		Edits: []Edit{{In: "State.reason",
			Old: "return ErrFull",
			New: "return ErrStopped"}},
		Test: fuzz,
	},

	// Early.
	{
		Name: "a timeout that was moved later expires at the earlier time",
		Edits: []Edit{
			{In: "Timeout.claim", Old: "|| w.deadline() > due"},
			{In: "guarded.consider", Old: "w.queued() || w.deadline() > g.wheel.ticks.start(tick)", New: "w.queued()"},
		},
	},
	{
		Name: "deadlines are rounded down",
		Edits: []Edit{
			{In: "ticks.of", Old: "(deadline + k.len - 1) / k.len", New: "deadline / k.len"},
			{In: "guarded.consider",
				Old: "w.deadline() > g.wheel.ticks.start(tick)",
				New: "w.deadline() >= g.wheel.ticks.start(tick+1)"},
			{In: "worker.handOut", Old: "wk.time.ticks.start(tick)\n", New: "wk.time.ticks.start(tick+1) - 1\n"},
		},
	},
	{
		Name: "deadlines count from the tick that has begun",
		Edits: []Edit{{In: "Timer.deadlineIn",
			Old: "min(now+",
			New: "min(tm.time.ticks.start(tm.time.ticks.at(now))+"}},
	},

	// Twice, or after all.
	{
		Name: "one expiry in a hundred is doubled",
		Edits: []Edit{{In: "worker.handOut",
			Old: "wk.out.execute(t)",
			New: "wk.out.execute(t); if _, _, n := wk.lateness.read(); n%100 == 0 { wk.out.execute(t) }"}},
	},
	{
		Name: "a timeout that is canceled in the batch runs",
		Edits: []Edit{{In: "Timeout.claim",
			Old: "w.state() != Pending || w.queued() ||"}},
	},
	{
		Name: "a timeout that is canceled before it was filed runs",
		Edits: []Edit{{In: "guarded.fileOne",
			Old: "if w := t.unqueue(); w.state() == Pending {",
			New: "w := t.unqueue()\n\tif w.state() == Canceled {\n\t\t" +
				"out, late := &t.timer.out, &t.timer.worker.lateness\n\t\t" +
				"if _, _, n := late.read(); n%100 == 0 {\n\t\t\t" +
				"late.note(0)\n\t\t\tout.Enter()\n\t\t\t" +
				"go func() { defer out.Leave(); out.Run(t) }()\n\t\t}\n\t}\n\tif w.state() == Pending {"}},
	},

	// Lost.
	{
		Name: "one expiry in a hundred is lost",
		Edits: []Edit{{In: "worker.handOut",
			Old: "isUsers := wk.out.execute(t)",
			New: "if _, _, n := wk.lateness.read(); n%100 == 0 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\t" +
				"isUsers := wk.out.execute(t)"}},
	},
	{
		Name: "a timeout that is moved later in the batch is forgotten",
		Edits: []Edit{{In: "guarded.settle",
			Old: "if w.state() == Pending {",
			New: "if w.state() == Pending && false {"}},
	},
	{
		Name: "an earlier Reset is not pushed",
		Edits: []Edit{{In: "Timeout.move",
			Old: "if deadline < w.deadline() {",
			New: "if deadline < w.deadline() && false {"}},
	},
	{
		Name: "a helper loses the rest of a list",
		Edits: []Edit{{In: "guarded.fileStripe",
			Old: "g.file(2*portion, len(g.lists))",
			New: "g.file(1, len(g.lists))\n\tg.intake, g.lists = 0, g.lists[:0]"}},
	},
	{
		Name: "a timeout that waits in the queue is moved to earlier without an announcement",
		Edits: []Edit{{In: "Timer.hand",
			Old: "tm.alarm.announce(t, true)"}},
		Test: everyCall,
	},
	{
		Name: "a timeout of the far lane that is moved to soon waits for the linger",
		Edits: []Edit{{In: "alarm.announce",
			Old: "if mayBeFar && deadline <= a.far.due.Load() {",
			New: "if false {"}},
		Test: "./verify/promises TestAtMostOneTickLateIfFarBecomesNear",
	},
	{
		Name: "a pass that leaves the far lane is not followed by one that takes it",
		Edits: []Edit{{In: "guarded.beginPass",
			Old: "g.alarm.lower(g.queue.far.due.Load())"}},
		Test: everyCall,
	},
	{
		Name: "a waker that fires while a goroutine is the worker is forgotten",
		Edits: []Edit{{In: "alarm.answer",
			Old: "if a.cas(w, w-alarmAwake+alarmWoken) {",
			New: "if true {"}},
		Test: ". TestAlarmThatRingsWhileAProducerIsTheWorkerIsSetAgain",
	},
	{
		Name: "the worker of a stopped timer does not stop the wakers",
		Edits: []Edit{{In: "alarm.rest",
			Old: "case alarmEnded:\n\t\t\ta.stop()\n\t\t\treturn"}},
		Test: ". TestAlarmIsNotSetOnceItHasEnded",
	},

	{
		Name: "a pass raises the far lane's due before it knows that it takes the queue",
		Edits: []Edit{
			{In: "guarded.beginPass",
				Old: "if !isCut && g.intake == 0 && g.alarm.raise(tick) {",
				New: "isFarDue := g.queue.far.raise(g.wheel.ticks.start(tick), g.alarm.lingers(tick))\n\t" +
					"if !isCut && g.intake == 0 && g.alarm.raise(tick) {"},
			{In: "guarded.beginPass",
				Old: "isFar = g.queue.far.raise(g.wheel.ticks.start(tick), g.alarm.lingers(tick))",
				New: "isFar = isFarDue"},
		},
		Test: duringAPass, IsStalled: true,
	},
	{
		Name: "a producer lowers the word's due before the far lane's",
		Edits: []Edit{
			{In: "alarm.announce", Old: "if mayBeFar && deadline <= a.far.due.Load() {", New: "if false {"},
			{In: "alarm.announce",
				Old: "a.expect(deadline)\n\t}",
				New: "a.expect(deadline)\n\t\tstall()\n\t}\n\t" +
					"if mayBeFar && deadline <= a.far.due.Load() {\n\t\ta.far.lower(a.before(deadline))\n\t}"},
		},
		Test: duringAPass, IsStalled: true,
	},
	{
		Name: "a push to the far lane does not lower the lane's due",
		Edits: []Edit{{In: "Timer.push",
			Old: "tm.alarm.announce(t, isFar)",
			New: "tm.alarm.announce(t, false)"}},
		Test: duringAPass, IsStalled: true,
	},

	// Timer.StopAll.
	{
		Name: "a push after the close is lost",
		Edits: []Edit{{In: "mpscQueue.push",
			Old: "return refused",
			New: "return accepted"}},
	},
	{
		Name: "Timer.StopAll leaves the queue open",
		Edits: []Edit{{In: "mpscQueue.close",
			Old: "Swap(&q.closed)",
			New: "Swap(nil)"}},
	},
	{
		Name: "a refused arming stays pending",
		Edits: []Edit{{In: "Timeout.refuse",
			Old: "next = next.withState(rejectedStopped)",
			New: "next = next.withState(Pending)"}},
	},
	{
		Name: "Timer.StopAll leaves out the batch",
		Edits: []Edit{{In: "guarded.collect",
			Old: "range g.batch.timeouts {",
			New: "range g.batch.timeouts[:0] {"}},
	},
	{
		Name: "Timer.StopAll leaves out the backlog",
		Edits: []Edit{{In: "guarded.stop",
			Old: "slices.Concat(g.lists, []*Timeout{g.deferred},",
			New: "slices.Concat([]*Timeout{g.deferred},"}},
	},

	{
		Name: "Timer.StopAll leaves out the wheel",
		Edits: []Edit{{In: "guarded.popAny",
			Old: "return g.wheel.popAny()",
			New: "return nil"}},
	},
	{
		Name: "Timer.StopAll returns timeouts of the batch that have expired",
		Edits: []Edit{{In: "guarded.collect",
			Old: "if t.cancelForStop() {",
			New: "if t.cancelForStop() || t.home.kind() == inBatch && t.State() == Expired {"}},
	},
	{
		Name: "Timer.StopAll returns timeouts that were stopped before",
		Edits: []Edit{{In: "guarded.collect",
			Old: "if t.cancelForStop() {",
			New: "if t.cancelForStop() || t.load().state() == Canceled {"}},
	},

	// WithMaxPending.
	{
		Name: "Stop returns its permit twice",
		Edits: []Edit{{In: "Timeout.Stop",
			Old: "t.timer.quota.release(1)",
			New: "t.timer.quota.release(1)\n\t\tt.timer.quota.release(1)"}},
	},
	{
		Name: "Stop keeps its permit",
		Edits: []Edit{{In: "Timeout.Stop",
			Old: "t.timer.quota.release(1)"}},
		Test: fuzz,
	},
	{
		Name: "an expiry keeps its permit",
		Edits: []Edit{{In: "worker.handOut",
			Old: "wk.quota.release(1)"}},
	},
	{
		Name: "an arming that begins again keeps its permit",
		Edits: []Edit{{In: "Timer.arm",
			Old: "tm.quota.release(1)"}},
	},
	{
		Name: "a permit is taken by a load and a store",
		Edits: []Edit{{In: "quota.count",
			Old: "if q.taken.CompareAndSwap(n, n+1) {",
			New: "window()\n\t\tif q.taken.Store(n + 1); true {"}},
	},
	{
		Name: "Arm of a pending timeout needs a permit",
		Edits: []Edit{{In: "Timer.arm",
			Old: "if w.state() == Pending {",
			New: "if w.state() == Pending && (bound == unbounded || tm.quota.taken.Load() < tm.quota.max) {"}},
		Test: fuzz,
	},
	{
		Name: "calls that return no error do not count",
		Edits: []Edit{{In: "quota.count",
			Old: "q.taken.Add(1)"}},
		Test: fuzz,
	},

	// A tick is a bound.
	{
		Name: "the worker runs at each tenth of a tick",
		Edits: []Edit{{In: "alarm.setFor",
			Old: "a.time.ticks.roundUp(next)",
			New: "next"}},
		Test: "./verify/promises TestQuietAndAtMostOneTickLateWhereManyExpire",
	},
	{
		Name: "the worker runs as soon as it is allowed to, not at the next whole tick",
		Edits: []Edit{{In: "alarm.setFor",
			Old: "a.time.ticks.roundUp(next)",
			New: "a.allowed"}},
		Test: "./verify/promises TestQuietAndAtMostOneTickLateWhereManyExpire",
	},
	{
		Name: "a lone timeout waits for a whole tick",
		Edits: []Edit{{In: "alarm.setFor",
			Old: "next < a.allowed",
			New: "next < noTick"}},
		Test: "./verify/promises TestOnTimeWhereFewExpire",
	},
	{
		Name: "lateness leaves out the wait for a whole tick",
		Edits: []Edit{{In: "worker.handOut",
			Old: "wk.alarm.earliest - 1",
			New: "wk.alarm.wakesAt() - 1"}},
		Test: "./verify/promises TestLatenessIsReportedFromTheDeadlineOfEachTask",
	},
	{
		Name: "a deadline that had passed when it was set counts from itself",
		Edits: []Edit{{In: "worker.handOut",
			Old: "wk.time.ticks.start(wk.alarm.earliest - 1)",
			New: "int64(0)"}},
		Test: fuzz,
	},
	{
		Name: "the worker saves up no runs",
		Edits: []Edit{{In: "alarm.count",
			Old: "due-burst*whole",
			New: "due"}},
		Test: "./verify/promises TestOnTimeInABurstThenOnceATick",
	},
	{
		Name: "each run that only takes the queue counts",
		Edits: []Edit{{In: "alarm.count",
			Old: "!dispatched &&",
			New: "false &&"}},
		Test: "./verify/promises TestOnTimeBesideTimeoutsThatAreStopped",
	},
	{
		Name: "the debt of runs has no limit",
		Edits: []Edit{{In: "alarm.count",
			Old: "min(max(a.allowed, due-burst*whole)+whole, due+burst*whole)",
			New: "max(a.allowed, due-burst*whole) + whole"}},
		Test: "./verify/promises TestOnTimeAfterRunsThatOthersBegin",
	},
	{
		Name: "a burst has no end",
		Edits: []Edit{{In: "alarm.count",
			Old: "max(a.allowed, due-burst*whole)+whole",
			New: "a.allowed+whole"}},
		Test: "./verify/promises TestOnTimeInABurstThenOnceATick",
	},
	{
		Name: "producers leave the far lane to a worker that needs long for it",
		Edits: []Edit{{In: "worker.pass",
			Old: "> int64(linger/4)",
			New: "> int64(linger)"}},
		Test: ". TestPassNotesThatTheFarLaneTakesLong",
	},

	// Memory and counters.
	{
		Name: "the last batch is kept from others only after the role is given away",
		Edits: []Edit{
			{In: "worker.work", Old: "run := wk.out.crews.Keep()"},
			{In: "worker.work",
				Old: "wk.alarm.rest(tick, next)",
				New: "wk.alarm.rest(tick, next)\n\trun := wk.out.crews.Keep()"},
		},
		Test: "./verify/promises TestOnTimeBehindSlowTasks", IsRace: true,
	},
	{
		Name: "a canceled timeout is kept until its bucket comes round",
		Edits: []Edit{{In: "Timeout.cancel",
			Old: "return !w.queued(), t.cas(w, w.withState(Canceled)|queued)",
			New: "return false, t.cas(w, w.withState(Canceled))"}},
		Test: "./verify/promises TestSmallAndGarbageFreeSoonAfterStop",
	},
	{
		Name: "a goroutine is left over at each panic",
		Edits: []Edit{{In: "runner.handlePanic",
			Old: "r.panics.Add(1)",
			New: "r.panics.Add(1)\n\t\tgo func() { select {} }()"}},
		Test: ". TestCrewTasksThatEndTheirGoroutinesOrPanic",
	},
	{
		Name: "one panic in ten is not counted",
		Edits: []Edit{{In: "runner.handlePanic",
			Old: "r.panics.Add(1)",
			New: "if r.panics.Add(1)%10 == 0 { r.panics.Add(^uint64(0)) }"}},
		Test: ". TestCrewTasksThatEndTheirGoroutinesOrPanic",
	},
}

// Stalled makes producers lose their processors, in a bubble: for up to a few tenths of a second between the choice of
// a lane and the push, and for a few ticks between the push and the announcement, and in the middle of the
// announcement. All promises hold.
var Stalled = []Edit{
	{In: "Timer.push",
		Old: "how := tm.queue.push(t, l)",
		New: "for range 8 {\n\t\tstall()\n\t}\n\thow := tm.queue.push(t, l)\n\tstall()"},
	{In: "alarm.announce",
		Old: "if deadline <= a.load().due() {",
		New: "stall()\n\tif deadline <= a.load().due() {"},
}

// Wide makes the windows of the library's races wide: between a load and the CAS that relies on it, between the CAS and
// the push, and wherever else another goroutine may run in between, one sometimes does. All promises hold.
//
// A call takes tens of nanoseconds. With these edits, calls often overlap in the middle, even on one processor.
var Wide = []Edit{
	{In: "Timeout.cas", Old: "return t.word.CompareAndSwap", New: "window()\n\treturn t.word.CompareAndSwap"},
	{In: "Timer.push", Old: "how := tm.queue.push(t, l)", New: "window()\n\thow := tm.queue.push(t, l)"},
	{In: "Timeout.Stop", Old: "t.timer.quota.release(1)", New: "window()\n\t\tt.timer.quota.release(1)"},
	{In: "alarm.announce", Old: "w := t.load()", New: "window()\n\tw := t.load()"},
	{In: "mpscQueue.push", Old: "s := l.stripeOf(t)", New: "s := l.stripeOf(t)\n\twindow()"},
	{In: "mpscQueue.push", Old: "t.link = below", New: "t.link = below\n\t\twindow()"},
	{In: "Timeout.drop", Old: "t.link = nil", New: "t.link = nil\n\twindow()"},
	{In: "guarded.refuse", Old: "defer g.lock().unlock()", New: "defer g.lock().unlock()\n\twindow()"},
	{In: "quota.count",
		Old: "q.taken.CompareAndSwap(n, n+1) {",
		New: "q.taken.CompareAndSwap(n, n+1) {\n\t\t\twindow()"},
	{In: "quota.release", Old: "q.taken.Add(-int64(n))", New: "window()\n\t\tq.taken.Add(-int64(n))"},
	{In: "worker.handOut", Old: "if !t.isAt(batch.given - 1) {", New: "window()\n\t\tif !t.isAt(batch.given - 1) {"},
	{In: "worker.handOut", Old: "wk.lateness.note(", New: "window()\n\t\t\twk.lateness.note("},
	{In: "Timer.StopAll",
		Old: "ended, more = tm.guarded.collect(ended[:0])",
		New: "window()\n\t\tended, more = tm.guarded.collect(ended[:0])\n\t\twindow()"},
	{In: "guarded.stop", Old: "g.stopped = true", New: "g.stopped = true\n\twindow()"},
	{In: "alarm.lower", Old: "next := w.by(at) | announced", New: "next := w.by(at) | announced\n\t\twindow()"},
	{In: "alarm.begin", Old: "a.overdue.Store(notOverdue)", New: "a.overdue.Store(notOverdue)\n\t\twindow()"},
	{In: "alarm.set", Old: "again := a.load().next()", New: "window()\n\t\tagain := a.load().next()\n\t\twindow()"},
	{In: "alarm.expect", Old: "a.by(at, alarmAnnounced)", New: "window()\n\ta.by(at, alarmAnnounced)"},
	{In: "alarm.announce", Old: "next := a.load()", New: "window()\n\tnext := a.load()\n\twindow()"},
	{In: "alarm.silence", Old: "a.word.Store(", New: "window()\n\ta.word.Store("},
	{In: "worker.wake", Old: "if wk.calls.Add(1) > 1 {", New: "window()\n\tif wk.calls.Add(1) > 1 {"},
	{In: "worker.work", Old: "if !wasCut &&", New: "window()\n\t\tif !wasCut &&"},
	{In: "guarded.beginPass", Old: "g.takeLane(&g.queue.near)", New: "window()\n\t\tg.takeLane(&g.queue.near)\n\t\twindow()"},
	{In: "guarded.nextWork", Old: "defer g.lock().unlock()", New: "defer g.lock().unlock()\n\twindow()"},
	{In: "farLane.isDue", Old: "l.at = now", New: "window()\n\tl.at = now"},
}
