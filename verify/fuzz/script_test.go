package fuzz

import (
	"fmt"
	"runtime/debug"
	"sync"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// script reads calls from a byte stream and makes each of them twice: to the timer and to the model. Each callback of
// the timer, a task, an executor or a panic handler, continues with the same stream.
//
// One goroutine at a time reads the stream, while all others wait for it, for the clock, or for their run. So the
// result does not depend on speed.
type script struct {
	mu    sync.Mutex // held, except while waiting for the clock, for a task, or for the worker to finish
	in    []byte
	calls []byte // a letter for each call that the stream can make
	trace []event

	model   model
	timer   *hashedwheel.Timer
	start   time.Time
	turn    int64 // ns
	eager   bool  // also compare, after every call, the results that need a drain
	handler bool

	clock     clockKind
	manual    *hashedwheel.ManualClock // if that is the clock
	target    int64                    // the time to which the clock is moving, ns since start
	advancing bool                     // an Advance is in progress
	broken    bool                     // a panic or Goexit ended the last Advance before it was there

	executor executorKind
	jobs     []job // dispatched, yet to run
	active   int   // jobs that run now, except tasks on the worker itself

	entries   []*entry
	self      *entry // the entry whose task runs now
	nested    bool   // the worker waits for the goroutine that reads the stream, which must not wait for it
	handling  bool   // the stream continues in the panic handler, of the worker or another goroutine
	panicking *entry // the entry whose task, or executor, panics now
	handled   func() // ends the turn of its goroutine

	// The books, as the caller of the library keeps them.
	ran, stopped, returned, refused int
	dropped                         int // tasks that the executor never runs
	lost                            int // lost tasks that Shutdown waits for

	failure string // the first; nothing is done after it
}

func newScript(in []byte) *script {
	s := &script{in: in}
	s.clock = clockKind(s.byte()) % clockKinds
	s.executor = executorKind(s.byte()) % executorKinds
	s.calls = []byte("aaassoobSSSSRRRRRttttmmmmAAAAAAPxx!")
	if s.executor >= withGoroutines {
		s.calls = append(s.calls, "EEEEEEEE"...)
	}
	return s
}

// inBubble reports whether the script has goroutines that must block: time passes only then.
func (s *script) inBubble() bool { return s.clock != onManual || s.executor == withGoroutines }

// options decodes the options from the head of the stream.
func (s *script) options() []hashedwheel.Option {
	ticks := []time.Duration{
		100 * time.Microsecond, time.Millisecond, 100 * time.Millisecond, 7777777, time.Hour,
		5 * time.Duration(years), never,
	}
	sizes := []int{1, 2, 8, 64, 512}
	bounds := []int{0, 0, 0, 1, 2, 7, 100}

	tick := pick(s, ticks)
	size := pick(s, sizes)
	s.model = model{limit: pick(s, bounds), woken: longAgo, waits: s.clock != onManual}
	s.model.tick, s.model.closed = int64(tick), -1
	s.turn = int64(min(float64(s.model.tick)*float64(size), 1<<62))
	s.byte() // means nothing; the files of the corpus have it
	flags := s.byte()
	s.eager = flags&1 != 0
	if flags&4 != 0 {
		s.calls = append(s.calls, "MMMMMMMv"...)
	}
	if flags&8 != 0 {
		s.calls = append(s.calls, "CCCCCCCc"...)
	}
	s.handler = flags&2 != 0 || s.inBubble() // there a panic would end the test
	opts := []hashedwheel.Option{
		hashedwheel.WithTick(tick),
		hashedwheel.WithWheelSize(size),
		hashedwheel.WithMaxPending(s.model.limit),
	}
	if s.handler {
		opts = append(opts, hashedwheel.WithPanicHandler(s.panicked))
	}
	return opts
}

// run makes the calls of the stream, then stops the timer, has the executor finish, and closes the books.
func (s *script) run() {
	opts := append(s.options(), s.withExecutor()...)
	s.timer = hashedwheel.MustNew(append(opts, s.withClock()...)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.in) > 0 && s.failure == "" {
		s.step()
	}
	for s.broken && s.failure == "" {
		s.advance(0)
	}
	s.settle()
	s.stopTimer()
	s.settle()
	for len(s.jobs) > 0 {
		s.runJob(0)
	}
	s.compare()
	s.balance()
	s.timer.StopAll() // leave no worker behind after a failure
}

// none is the result of a call that does not move the clock.
const none = -1

// step makes one call and compares. The caller holds mu.
func (s *script) step() {
	s.look()
	switch d := s.call(); {
	case d == none:
		s.settle()
	case s.nested:
		s.extend(d)
	default:
		s.advance(d)
	}
	s.compare()
}

// settle waits until the worker has finished: all due tasks have been dispatched, and the time is the target. The
// caller holds mu.
func (s *script) settle() {
	for waits := s.inBubble() && !s.nested; waits; {
		s.mu.Unlock()
		synctest.Wait()
		s.mu.Lock()
		d := s.target - s.now()
		if waits = s.clock == onSystem && d > 0; waits {
			s.sleep(d)
		}
	}
	s.look()
}

// misbehave is the value with which a task or an executor may panic.
type misbehave struct{}

// task is the task of every timeout: it continues the stream for a few calls.
func (s *script) task(e *entry) {
	s.mu.Lock()
	if s.failure != "" {
		s.mu.Unlock()
		return
	}
	end := func() {}
	switch {
	case s.executor == withInline:
		s.handed(e)
	case s.tasksWait():
		s.handed(e)
		end = s.await(e)
	}
	self, nested := s.self, s.nested // of whoever gave the turn
	s.nested = s.nested || s.executor == withInline
	s.began(e)
	for n := s.byte() & 3; n > 0 && s.failure == ""; n-- {
		s.step()
	}
	s.self, s.nested = self, nested
	misbehaves := s.ending(e, end)
	s.mu.Unlock()
	misbehaves()
}

// panicked is the panic handler.
func (s *script) panicked(to *hashedwheel.Timeout, recovered any) {
	if recovered != any(misbehave{}) {
		// An invariant is broken, perhaps in a call of the script's, which holds mu.
		go panic(fmt.Sprintf("%v\n%s", recovered, debug.Stack()))
	}
	s.mu.Lock()
	defer s.handled()
	defer s.mu.Unlock()
	s.model.panics++
	s.check(s.panicking != nil && to == s.panicking.to, "the panic handler got another timeout")
	if s.byte()&7 == 1 && s.failure == "" {
		self, nested, handling := s.self, s.nested, s.handling
		s.self, s.nested, s.handling = nil, true, true
		s.step()
		s.self, s.nested, s.handling = self, nested, handling
	}
}

// check notes the first failure; a failure must not end a task's goroutine.
func (s *script) check(ok bool, format string, args ...any) {
	if !ok && s.failure == "" {
		s.failure = fmt.Sprintf("at %d: ", s.model.now) + fmt.Sprintf(format, args...)
	}
}
