package main

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// plan is the calls of a history: the same seed gives the same plan, though not the same
// interleaving.
type plan struct {
	kind       string
	options    []hashedwheel.Option
	tick       time.Duration
	maxPending int
	slots      int

	before  []step   // by one goroutine
	clients [][]step // then by one goroutine each, together
	task    []step   // by every task, once it has begun
	waits   bool     // until timeouts that are due soon have run
	after   []step   // by one goroutine, when the clients are through
}

const (
	maxSlots   = 3
	maxClients = 4
)

// kinds are the sorts of histories. Each but the first is directed at a window.
var kinds = []struct {
	name string
	plan func(*maker)
}{
	{"anything", (*maker).anything},
	{"reset-at-expiry", (*maker).resetAtExpiry},
	{"stop-at-expiry", (*maker).stopAtExpiry},
	{"stop-at-timer-stop", (*maker).stopAtTimerStop},
	{"arm-at-timer-stop", (*maker).armAtTimerStop},
	{"expiry-at-timer-stop", (*maker).expiryAtTimerStop},
	{"full", (*maker).full},
	{"slow-task", (*maker).slowTask},
	{"backlog", (*maker).backlog},
	{"combing", (*maker).combing},
}

// maker makes a plan out of random numbers.
type maker struct {
	*rand.Rand
	*plan
}

func makePlan(kind int, seed uint64) *plan {
	m := &maker{rand.New(rand.NewPCG(seed, 0)), &plan{kind: kinds[kind].name}}
	m.slots = 1 + m.IntN(maxSlots)
	m.tick = time.Duration(m.oneOf(100, 100, 100, 100, 250, 1000)) * time.Microsecond
	m.waits = m.oneIn(3)
	m.options = []hashedwheel.Option{hashedwheel.WithTick(m.tick), hashedwheel.WithWheelSize(1 << m.IntN(7))}
	if e := m.executor(); e != nil {
		m.options = append(m.options, hashedwheel.WithExecutor(e))
	}
	kinds[kind].plan(m)
	return m.plan
}

// executor returns nil for the default.
func (m *maker) executor() hashedwheel.Executor {
	switch m.IntN(6) {
	case 0, 1:
		return nil
	case 2: // it lets others go first between two timeouts of a batch
		return hashedwheel.ExecutorFunc(func(f func()) { runtime.Gosched(); f() })
	case 3: // a task begins some time after it was handed out
		return hashedwheel.ExecutorFunc(func(f func()) { go func() { runtime.Gosched(); f() }() })
	}
	return hashedwheel.Inline{}
}

// anything has calls of all sorts spread over a few ticks.
func (m *maker) anything() {
	m.crowd(2+m.IntN(maxClients-1), anyCall)
	if m.oneIn(2) {
		i := m.IntN(len(m.clients))
		m.clients[i] = append(m.clients[i], (*client).timerStop)
	}
	m.task = m.tasks(anyCall)
}

// resetAtExpiry has the calls when the timeouts of a tick are being handed out.
func (m *maker) resetAtExpiry() {
	m.armForGate()
	m.burstAtGate(2+m.IntN(3), []action{doReset, doResetAt, doMove, doMoveAt, doState, doDeadline})
	m.task = m.tasks([]action{doReset, doResetAt})
}

func (m *maker) stopAtExpiry() {
	m.armForGate()
	m.burstAtGate(1+m.IntN(3), []action{doStop, doStop, doReset, doMove, doState})
}

func (m *maker) stopAtTimerStop() {
	m.before = m.armAll(doReset)
	m.burst(2+m.IntN(3), []action{doStop, doStop, doReset, doMoveAt, doState})
	m.addTimerStop()
}

func (m *maker) armAtTimerStop() {
	if m.oneIn(2) {
		m.before = m.armAll(doResetAt)
	}
	m.burst(2+m.IntN(3), []action{doReset, doResetAt, doSchedule, doAfterFunc, doState})
	m.addTimerStop()
}

// expiryAtTimerStop stops the timer in the middle of a batch.
func (m *maker) expiryAtTimerStop() {
	m.slots = 2 + m.IntN(maxSlots-1)
	m.armForGate()
	m.burstAtGate(2+m.IntN(3), []action{doReset, doResetAt, doMove, doStop, doState, doDrain})
	m.addTimerStop()
}

// full has more timeouts than WithMaxPending allows, and counts the places in the
// end, when nobody else can hold one.
func (m *maker) full() {
	m.maxPending = 1 + m.IntN(2)
	m.slots = maxSlots
	m.options = append(m.options, hashedwheel.WithMaxPending(m.maxPending))
	calls := []action{doReset, doReset, doResetAt, doMove, doStop, doStop, doSchedule, doAfterFunc, doState}
	m.burst(2+m.IntN(3), calls)
	if m.oneIn(2) {
		m.before = m.armAll(doReset)
	}
	if m.oneIn(3) {
		m.addTimerStop()
	}
	for i := range m.slots {
		m.after = append(m.after, doStop(i, 0))
	}
	for i := range m.slots {
		m.after = append(m.after, doReset(i, time.Hour), doState(i, 0))
	}
}

// slowTask has tasks on the worker that do not return for some ticks.
func (m *maker) slowTask() {
	m.slots = maxSlots
	m.tick = 100 * time.Microsecond
	m.options = append(m.options, hashedwheel.WithTick(m.tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	m.before = append(m.before, func(c *client) { c.armStarter(2*m.tick, m.between(0, 4*m.tick)) })
	m.before = append(m.before, m.armAll(doReset)...)
	m.burstAtGate(2+m.IntN(4), []action{doReset, doResetAt, doResetAt, doStop, doState, doDrain})
	if m.oneIn(3) {
		m.addTimerStop()
	}
	m.task = append(m.task, func(c *client) {
		if c.IntN(2) == 0 {
			time.Sleep(time.Duration(c.Int64N(int64(4 * m.tick))))
		}
	})
	m.task = append(m.task, m.tasks([]action{doReset, doResetAt, doStop})...)
}

// backlog has more armings than one drain files, with -tags small: those behind the
// recorded ones are filed first, since a stripe is a stack.
func (m *maker) backlog() {
	m.slots = maxSlots
	m.before = append(m.before, func(c *client) { c.armStarter(m.tick, 0) })
	m.before = append(m.before, m.armAll(doSchedule)...)
	m.before = append(m.before, m.armAll(doReset)...)
	m.before = append(m.before, (*client).fillDrain)
	m.burstAtGate(2+m.IntN(3), []action{doReset, doResetAt, doStop, doAfterFunc, doState})
	m.addTimerStop()
}

// combing has stopped timeouts armed again while a producer combs them out of the queue.
func (m *maker) combing() {
	m.before = m.armAll(doReset)
	m.clients = make([][]step, 2)
	at := &meeting{clients: 2}
	m.clients[0] = []step{m.meet(at), doLitter(0, 0), doLitter(0, 0)}
	m.clients[1] = []step{m.meet(at)}
	for range 8 + m.IntN(16) {
		m.clients[1] = append(m.clients[1], m.call([]action{doStop, doReset}))
	}
}
