package hashedwheel_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// FuzzTimer has bytes decide which calls are made, in which order, from outside
// and from inside tasks, and compares every result with the model.
func FuzzTimer(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomInput(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) { play(t, in, false) })
}

// script reads calls from a byte stream and makes each of them twice: to the
// timer and to the model. A task that runs goes on with the same stream.
type script struct {
	mu    sync.Mutex // held during a call from outside, and during a task
	in    []byte
	trace []event

	model   model
	timer   *hashedwheel.Timer
	clock   *hashedwheel.ManualClock // nil in a synctest bubble, where the worker runs on the bubble's time
	start   time.Time
	turn    int64 // ns
	drain   int
	eager   bool // compare what needs a drain after every call too
	handler bool

	entries []*entry
	self    *entry // whose task runs now

	target      int64  // where Advance is going, ns since start
	interrupted bool   // a panic or Goexit ended Advance before it was there
	cancelled   uint64 // Stats.Cancelled, as last seen
	panicking   *entry

	// The books, as the caller of the library keeps them.
	ran, stopped, returned, refused int

	failure string // the first; nothing is done after it
}

// event is a line of the trace. The order within a tick depends on where the
// heap puts things, so a second run may differ: the trace is of the first.
type event struct {
	what string
	id   int
	n    int64
}

// play runs the script and reports whether the timer did what the model says.
func play(t *testing.T, in []byte, bubble bool) bool {
	s := newScript(in[:min(len(in), 8<<10)], bubble) // longer ones are slower, not better
	if s.run(); s.failure == "" {
		return true
	}
	t.Logf("tick %d, turn %d, limit %d", s.model.tick, s.turn, s.model.limit)
	for _, e := range s.trace {
		t.Logf("%s #%d %d", e.what, e.id, e.n)
	}
	t.Errorf("%s\ninput: %q", s.failure, in)
	return false
}

func (s *script) log(what string, id int, n int64) { s.trace = append(s.trace, event{what, id, n}) }

func newScript(in []byte, bubble bool) *script {
	s := &script{in: in}
	opts := s.options()
	if bubble {
		s.handler = true
		if s.drain < 1000 {
			s.model.slack = 1 // what is left over the limit may be filed under the next tick
		}
		s.start = time.Now()
		opts = append(opts, hashedwheel.WithPanicHandler(s.panicked))
	} else {
		s.start = time.Date(2024, 2, 28, 23, 59, 59, 1, time.UTC)
		s.clock = hashedwheel.NewManualClock(s.start)
		opts = append(opts, hashedwheel.WithClock(s.clock))
	}
	s.timer = hashedwheel.MustNew(opts...)
	return s
}

// options decodes the options from the head of the stream.
func (s *script) options() []hashedwheel.Option {
	ticks := []time.Duration{100 * time.Microsecond, time.Millisecond, 100 * time.Millisecond, 7777777, time.Hour}
	sizes := []int{1, 2, 8, 64, 512}
	limits := []int{0, 0, 0, 1, 2, 7, 100}
	drains := []int{100_000, 1, 7}

	tick := pick(s, ticks)
	size := pick(s, sizes)
	s.turn = int64(tick) * int64(size)
	s.model = model{tick: int64(tick), limit: pick(s, limits)}
	s.drain = pick(s, drains)
	opts := []hashedwheel.Option{
		hashedwheel.WithTick(tick),
		hashedwheel.WithWheelSize(size),
		hashedwheel.WithMaxPending(s.model.limit),
		hashedwheel.WithDrainLimit(s.drain),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
	}
	flags := s.byte()
	s.eager = flags&1 != 0
	if s.handler = flags&2 != 0; s.handler {
		opts = append(opts, hashedwheel.WithPanicHandler(s.panicked))
	}
	return opts
}

func (s *script) byte() byte {
	if len(s.in) == 0 {
		return 0
	}
	b := s.in[0]
	s.in = s.in[1:]
	return b
}

func pick[E any](s *script, of []E) E { return of[int(s.byte())%len(of)] }

// delay decodes a delay: all that is special to a wheel, and much that is not.
func (s *script) delay() int64 {
	tick, b := s.model.tick, int64(s.byte())
	n := b >> 3
	switch b & 7 {
	case 0:
		return []int64{0, -1, 1, -tick, math.MinInt64, math.MaxInt64, never, never - tick}[n&7]
	case 1:
		return tick * (n + 1) / 33 // less than a tick
	case 2:
		return tick * n
	case 3:
		return tick*n + []int64{-1, 1}[s.byte()&1]
	case 4:
		return s.turn*n - int64(s.byte()&1)
	case 5:
		return s.turn<<(6*(n&3)) + tick*(n>>2-3) // where an overflow ring begins
	case 6:
		return int64(24*time.Hour)*n + int64(s.byte())
	default:
		return -tick * n * int64(s.byte()) // the past
	}
}

const years = 365 * int64(24*time.Hour)

// amount decodes by how much to advance.
func (s *script) amount() int64 {
	tick, b := s.model.tick, int64(s.byte())
	switch n := b >> 3; b & 7 {
	case 0:
		return 0
	case 1:
		return tick * (n + 1) / 33
	case 2, 3:
		return tick * n
	case 4:
		return tick - s.model.now%tick - 1 // just short of the next tick
	case 5:
		return s.turn*n + 1
	case 6:
		return int64(24*time.Hour) * (n & 15)
	default:
		if n < 30 {
			return tick
		}
		return 8 * years
	}
}

// end is how far the stream may advance. What happens after never is of interest
// on a ManualClock only: there nothing expires any more, and all can be stopped.
func (s *script) end() int64 {
	if s.clock == nil {
		return 18 * years
	}
	return 100 * years
}

// entry chooses one of the timeouts: from inside a task often itself, or one
// that is due at the same tick.
func (s *script) entry() *entry {
	b := int(s.byte())
	if s.self != nil && b < 32 {
		return s.self
	}
	if n := len(s.model.pending); n > 0 && b < 128 {
		return s.model.pending[b%min(n, 8)]
	}
	if len(s.entries) == 0 {
		return s.own()
	}
	return s.entries[b%len(s.entries)]
}

// run makes the calls of the stream, then stops the timer and closes the books.
func (s *script) run() {
	for len(s.in) > 0 && s.failure == "" {
		s.outside(s.call)
	}
	for s.interrupted && s.failure == "" {
		s.advance(0)
	}
	s.outside(func() int64 {
		s.stopTimer()
		s.balance()
		return none
	})
	s.timer.Stop() // leave no worker behind when it has failed
}

// none is what a call returns that is not Advance.
const none = -1

// outside makes one call from outside a task.
func (s *script) outside(call func() (advance int64)) {
	s.mu.Lock()
	d := call()
	s.mu.Unlock()
	if d != none {
		s.advance(d)
	} else if s.clock == nil {
		synctest.Wait() // what was due already has run
	}
	s.mu.Lock()
	s.compare()
	s.mu.Unlock()
}

// advance moves the time on by d, and if a task ended an earlier advance, by
// what that one left.
func (s *script) advance(d int64) {
	s.mu.Lock()
	s.target += d
	s.mu.Unlock()
	if s.clock == nil {
		time.Sleep(time.Duration(d))
		synctest.Wait()
	} else {
		s.interrupted = !s.attempt(s.target - s.now())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.now = s.now()
	if !s.interrupted {
		s.check(s.model.now == s.target, "Advance went to %d, not %d", s.model.now, s.target)
		s.check(!s.model.overdue(true), "Advance left something behind that was due")
	}
}

// attempt reports whether Advance came to its end, and no task ended it.
func (s *script) attempt(d int64) (arrived bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil && r != any(misbehave{}) {
				panic(r)
			}
		}()
		s.clock.Advance(time.Duration(d))
		arrived = true
	}()
	<-done
	return arrived
}

func (s *script) now() int64 {
	if s.clock == nil {
		return int64(time.Since(s.start))
	}
	return int64(s.clock.Now().Sub(s.start))
}

// calls has a letter for each call, the frequent ones often.
const calls = "aaassoobSSSSRRRRRttttmmmmAAAAAAPxx!"

// call makes the next call of the stream, but for Advance, which it leaves to
// the caller.
func (s *script) call() (advance int64) {
	switch pick(s, []byte(calls)) {
	case 'a':
		s.afterFunc(s.delay())
	case 's':
		s.schedule(s.delay())
	case 'o':
		s.reset(s.own(), s.delay())
	case 'b':
		s.burst(int(s.byte())%150, s.delay())
	case 'S':
		s.stop(s.entry())
	case 'R':
		s.reset(s.entry(), s.delay())
	case 't':
		s.resetAt(s.entry(), clampDeadline(s.model.now+clampDeadline(s.delay())))
	case 'm':
		e := s.entry()
		s.resetAt(e, clampDeadline(e.deadline+[]int64{0, 1, -1, s.delay() / 2, -s.delay() / 2}[s.byte()%5]))
	case 'P':
		s.compareDrained()
	case 'x':
		s.own() // stays Idle until something resets it
	case '!':
		if s.byte() < 40 {
			s.stopTimer()
		}
	case 'A':
		d := min(s.amount(), s.end()-s.target)
		s.log("Advance", -1, d)
		return d
	}
	return none
}

const maxEntries = 400

func (s *script) add(e *entry) *entry {
	e.id = len(s.entries)
	s.entries = append(s.entries, e)
	return e
}

// own makes a Timeout that the caller owns.
func (s *script) own() *entry {
	if len(s.entries) >= maxEntries {
		return s.entry()
	}
	e := s.add(&entry{to: new(hashedwheel.Timeout)})
	e.to.Init(s.timer, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
		s.check(to == e.to, "the task got another timeout than its own")
		s.task(e)
	}))
	return e
}

func (s *script) afterFunc(d int64) {
	if len(s.entries) >= maxEntries {
		s.reset(s.entry(), d)
		return
	}
	e := &entry{}
	e.to = s.timer.AfterFunc(time.Duration(d), func() { s.task(e) })
	s.log("AfterFunc", len(s.entries), d)
	_, err := s.model.arm(s.add(e), s.model.in(d))
	s.told(err)
}

func (s *script) burst(n int, d int64) {
	if s.clock == nil {
		d = max(d, s.model.tick) // else the worker runs the first before the last is armed
	}
	for ; n > 0; n-- {
		s.afterFunc(d)
	}
}

func (s *script) schedule(d int64) {
	if len(s.entries) >= maxEntries {
		s.reset(s.entry(), d)
		return
	}
	e := &entry{}
	to, err := s.timer.Schedule(time.Duration(d), hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { s.task(e) }))
	s.log("Schedule", len(s.entries), d)
	_, want := s.model.arm(e, s.model.in(d))
	s.told(want)
	s.check(err == want, "Schedule: %v, want %v", err, want)
	s.check((to == nil) == (err != nil), "Schedule: %v with error %v", to, err)
	if e.to = to; to != nil {
		s.add(e)
	}
}

func (s *script) reset(e *entry, d int64) {
	s.log("Reset", e.id, d)
	was := e.to.Reset(time.Duration(d))
	s.moved(e, was, s.model.in(d))
}

func (s *script) resetAt(e *entry, deadline int64) {
	s.log("ResetAt", e.id, deadline)
	was := e.to.ResetAt(s.start.Add(time.Duration(deadline)))
	s.moved(e, was, deadline)
}

func (s *script) moved(e *entry, was bool, deadline int64) {
	want, err := s.model.arm(e, deadline)
	s.told(err)
	s.check(was == want, "Reset: %v, want %v", was, want)
}

func (s *script) told(err error) {
	if err != nil {
		s.refused++
	}
}

func (s *script) stop(e *entry) {
	s.log("Stop", e.id, 0)
	got, want := e.to.Stop(), s.model.stop(e)
	s.check(got == want, "Stop: %v, want %v", got, want)
	if got {
		s.stopped++
	}
}

// stopTimer stops the timer, with Stop or Shutdown.
func (s *script) stopTimer() {
	want := s.model.stopAll()
	got := s.timer.Stop()
	s.log("Timer.Stop", -1, int64(len(got)))
	s.returned += len(got)
	s.check(len(got) == len(want), "Timer.Stop: %d timeouts, want %d", len(got), len(want))
	for _, e := range want {
		s.check(slices.Contains(got, e.to), "Timer.Stop did not return %v", *e)
	}
	s.check(len(s.timer.Stop()) == 0, "a second Stop returned something")
	if s.clock == nil {
		return // the worker may have a moment to live
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	left, err := s.timer.Shutdown(ctx)
	s.check(len(left) == 0, "Shutdown after Stop returned something")
	s.check((err != nil) == (s.self != nil), "Shutdown: %v, in a task: %v", err, s.self != nil)
}

// misbehave is how a task may end.
type misbehave struct{}

// task is the task of every timeout: it judges the run, then goes on with the
// stream for a few calls.
func (s *script) task(e *entry) {
	s.mu.Lock()
	if s.failure != "" {
		s.mu.Unlock()
		return
	}
	s.log("run", e.id, s.now())
	s.ran++
	s.judge(e)
	s.model.expire(e)
	s.self = e
	for n := s.byte() & 3; n > 0; n-- {
		if d := s.call(); d != none && s.clock != nil {
			s.target += d
			s.clock.Advance(time.Duration(d)) // the one under way goes on for longer
		}
		s.compare()
	}
	s.self = nil
	end := s.ending(e)
	s.mu.Unlock()
	end()
}

// judge checks all that is promised of a run.
func (s *script) judge(e *entry) {
	m := &s.model
	m.now = s.now()
	s.check(e.state == hashedwheel.Pending, "ran, but is %v", e.state)
	s.check(e.to.State() == hashedwheel.Expired, "ran in state %v", e.to.State())
	s.check(m.now >= e.deadline, "early: ran at %d, deadline %d", m.now, e.deadline)
	s.check(m.now <= (e.tick+m.slack)*m.tick, "late: ran at %d, tick begins at %d", m.now, e.tick*m.tick)
	earliest := e.tick * m.tick
	if s.clock == nil { // a worker that is woken may run at once what is due already
		earliest = max(e.armed, m.tickOf(e.deadline)*m.tick)
	}
	s.check(m.now >= earliest, "early: ran at %d, not %d", m.now, earliest)
	s.check(!m.overdue(false), "ran at %d before one of an earlier tick", m.now)
}

// ending decides how a task ends.
func (s *script) ending(e *entry) func() {
	switch b := s.byte(); {
	case b >= 1 && b < 8:
		s.log("panic", e.id, 0)
		if s.handler {
			s.model.panics++
			s.panicking = e
		}
		return func() { panic(misbehave{}) }
	case b > 250:
		s.log("Goexit", e.id, 0)
		return runtime.Goexit
	}
	return func() {}
}

func (s *script) panicked(to *hashedwheel.Timeout, recovered any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check(recovered == any(misbehave{}), "the panic handler got %v", recovered)
	s.check(to == s.panicking.to, "the panic handler got another timeout")
}

// compare checks everything that can be read against the model.
func (s *script) compare() {
	for i, e := range s.entries {
		got := e.to.State()
		s.check(got == e.state, "#%d is %v, not %v", i, got, e.state)
	}
	if s.eager {
		s.compareDeadlines()
		s.compareDrained()
	}
}

func (s *script) compareDeadlines() {
	for i, e := range s.entries {
		want := time.Time{}
		if e.state != hashedwheel.Idle {
			want = s.start.Add(time.Duration(e.deadline))
		}
		got := e.to.Deadline()
		s.check(got.Equal(want), "Deadline of #%d is %v, not %v", i, got, want)
	}
}

// compareDrained checks what the timer counts. It has a call of its own in the
// stream because it drains the queue.
func (s *script) compareDrained() {
	s.log("Pending", -1, 0)
	m, st := &s.model, s.timer.Stats()
	s.check(s.timer.Pending() == len(m.pending), "Pending: %d, not %d", s.timer.Pending(), len(m.pending))
	s.check(st.Pending == len(m.pending), "Stats.Pending: %d, not %d", st.Pending, len(m.pending))
	s.check(st.Expired == uint64(m.expired), "Stats.Expired: %d, not %d", st.Expired, m.expired)
	s.check(st.Rejected == uint64(m.rejected), "Stats.Rejected: %d, not %d", st.Rejected, m.rejected)
	s.check(st.Cancelled >= s.cancelled && st.Cancelled <= uint64(m.cancelled),
		"Stats.Cancelled: %d, was %d, at most %d", st.Cancelled, s.cancelled, m.cancelled)
	s.cancelled = st.Cancelled
	if s.self == nil {
		s.check(st.Panics == uint64(m.panics), "Stats.Panics: %d, not %d", st.Panics, m.panics)
	}
	if s.self == nil && !s.interrupted { // all is filed: the wheel has let go of every one that is stopped
		s.check(st.Cancelled >= s.count(hashedwheel.Cancelled), "Stats.Cancelled: %d", st.Cancelled)
	}
	if s.clock != nil {
		s.check(st.Wakeups == 0 && st.MaxLag == 0, "on a ManualClock: %+v", st)
	}
}

func (s *script) count(state hashedwheel.State) (n uint64) {
	for _, e := range s.entries {
		if e.state == state {
			n++
		}
	}
	return n
}

// balance checks, once the timer is stopped, that each arming had one outcome.
func (s *script) balance() {
	s.compareDeadlines()
	s.compareDrained()
	m := &s.model
	s.check(s.ran == m.expired, "%d ran, not %d", s.ran, m.expired)
	s.check(m.armings == s.ran+s.stopped+s.returned+s.refused,
		"%d armings, but %d ran, %d stopped, %d returned by Timer.Stop, %d refused",
		m.armings, s.ran, s.stopped, s.returned, s.refused)
}

// check notes the first failure; a task must not end its goroutine over it.
func (s *script) check(ok bool, format string, args ...any) {
	if !ok && s.failure == "" {
		s.failure = fmt.Sprintf("at %d: ", s.model.now) + fmt.Sprintf(format, args...)
	}
}
