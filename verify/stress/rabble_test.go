package stress

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

// wallClock is the system's clock, as a user's own.
type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// rabble is tasks that misbehave on one inline timer, and the books of what
// became of them. Every Reset that returned false began an arming; each has one
// outcome: it ran, was stopped, was left to Timer.Stop, or was refused.
type rabble struct {
	tm *hashedwheel.Timer

	began, ran, stopped, early atomic.Int64

	regulars [200]hashedwheel.Timeout // armed again and again, by all
	quit     atomic.Bool
	members  sync.WaitGroup
	mu       sync.Mutex
	once     []*oneShot // guarded by mu
}

// oneShot is armed once: it must have one outcome by itself.
type oneShot struct {
	to           *hashedwheel.Timeout
	deadline     time.Time
	ran, stopped atomic.Int32
}

func newRabble(opts ...hashedwheel.Option) *rabble {
	opts = append(opts, hashedwheel.WithExecutor(hashedwheel.Inline{}), hashedwheel.WithWheelSize(8),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
	r := &rabble{tm: timertest.New(opts...)}
	for i := range r.regulars {
		r.regulars[i].Init(r.tm, hashedwheel.TaskFunc(r.runRegular))
	}
	return r
}

// assemble has members call the timer until quit.
func (r *rabble) assemble() {
	for _, f := range []func(){r.armOnce, r.armRegular, r.armRegular, r.stopRegular, r.stopOnce, r.count} {
		r.members.Go(func() {
			for i := 0; !r.quit.Load(); i++ {
				f()
				if i%16 == 0 {
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
}

func (r *rabble) armOnce() {
	o, d := new(oneShot), randomDelay()
	o.deadline = time.Now().Add(d)
	o.to = r.tm.AfterFunc(d, func() {
		o.ran.Add(1)
		r.noteRun(o.deadline)
		r.misbehave()
	})
	r.began.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.once = append(r.once, o)
}

func (r *rabble) regular() *hashedwheel.Timeout { return &r.regulars[rand.IntN(len(r.regulars))] }

func (r *rabble) armRegular() { r.reset(r.regular()) }

func (r *rabble) reset(to *hashedwheel.Timeout) {
	if !to.Reset(randomDelay()) {
		r.began.Add(1)
	}
}

func (r *rabble) stopRegular() {
	if r.regular().Stop() {
		r.stopped.Add(1)
	}
}

func (r *rabble) stopOnce() {
	r.mu.Lock()
	var o *oneShot
	if n := len(r.once); n > 0 {
		o = r.once[max(0, n-1-rand.IntN(200))]
	}
	r.mu.Unlock()
	if o != nil && o.to.Stop() {
		o.stopped.Add(1)
		r.stopped.Add(1)
	}
}

func (r *rabble) count() {
	r.tm.Pending()
	r.tm.Stats()
}

// noteRun is the first thing that a task does.
func (r *rabble) noteRun(deadline time.Time) {
	r.ran.Add(1)
	if time.Now().Before(deadline) {
		r.early.Add(1)
	}
}

func (r *rabble) runRegular(*hashedwheel.Timeout) {
	r.ran.Add(1) // its deadline may have been moved since
	r.misbehave()
}

// misbehave blocks, ends its goroutine, panics, or calls the timer. Most of the
// time it does nothing.
func (r *rabble) misbehave() {
	switch n := rand.IntN(400); {
	case n < 8:
		time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond)
	case n < 12:
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
		runtime.Goexit()
	case n < 16:
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
		panic("on purpose")
	case n < 20:
		defer time.Sleep(3 * time.Millisecond)
		runtime.Goexit()
	case n < 60:
		r.reset(r.regular())
	case n < 80:
		r.stopRegular()
	case n < 100:
		for i := range 8 { // also in its own tick, and itself
			r.reset(&r.regulars[i])
		}
	case n < 105:
		r.count()
	}
}

// disperse ends the timer in the middle of it all and balances the books.
func (r *rabble) disperse(t *testing.T) {
	t.Helper()
	left := timertest.Shutdown(t, r.tm)
	ran := r.ran.Load()
	time.Sleep(2 * time.Millisecond) // some more armings, all too late
	r.quit.Store(true)
	r.members.Wait()

	stats := r.tm.Stats()
	assert.Zero(t, r.early.Load(), "ran early")
	assert.Equal(t, ran, r.ran.Load(), "a task ran after Shutdown")
	assert.Equal(t, uint64(ran), stats.Expired)
	assert.Equal(t, r.began.Load(), ran+r.stopped.Load()+int64(len(left))+int64(stats.Rejected),
		"armings = ran %d + stopped %d + left %d + refused %d", ran, r.stopped.Load(), len(left), stats.Rejected)
	assert.Zero(t, stats.Pending)
	r.assertOneOutcomeEach(t, left)
	assertNoLibraryGoroutines(t)
}

// assertAlive sees that there still is a worker.
func (r *rabble) assertAlive(t *testing.T) {
	t.Helper()
	ran := r.ran.Load()
	assert.Eventually(t, func() bool { return r.ran.Load() > ran+100 }, 20*time.Second, time.Millisecond)
}

func (r *rabble) assertOneOutcomeEach(t *testing.T, left []*hashedwheel.Timeout) {
	t.Helper()
	returned := make(map[*hashedwheel.Timeout]int32)
	for _, to := range left {
		returned[to]++
	}
	wrong := 0
	for _, o := range r.once {
		outcomes := o.ran.Load() + o.stopped.Load() + returned[o.to]
		if o.to.State() == hashedwheel.Rejected {
			outcomes++
		}
		if outcomes != 1 {
			wrong++
		}
	}
	assert.Zero(t, wrong, "of %d do not have exactly one outcome", len(r.once))
}

// assertNoLibraryGoroutines gives goroutines time to end: Shutdown may return just before that.
func assertNoLibraryGoroutines(t *testing.T) {
	t.Helper()
	assert.Eventually(t, func() bool { return timertest.LibraryGoroutines() == 0 }, 20*time.Second, time.Millisecond)
}

func TestARabbleHasOneOutcomePerArming(t *testing.T) {
	for name, opt := range map[string]hashedwheel.Option{
		"no limits":          hashedwheel.WithMaxPending(0),
		"at most 50 pending": hashedwheel.WithMaxPending(50),
		"a custom clock":     hashedwheel.WithClock(wallClock{}),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRabble(opt)
			r.assemble()
			time.Sleep(timertest.Lasting(500 * time.Millisecond))
			r.assertAlive(t)
			r.disperse(t)
		})
	}
}

// The timer is stopped at many moments, while tasks block its worker.
func TestARabbleIsStoppedAtAnyMoment(t *testing.T) {
	end := time.Now().Add(timertest.Lasting(time.Second))
	for time.Now().Before(end) {
		r := newRabble()
		r.assemble()
		time.Sleep(time.Duration(rand.IntN(12_000)) * time.Microsecond)
		r.disperse(t)
	}
}
