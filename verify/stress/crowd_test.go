package stress

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// crowd is many goroutines at one timer, and the books of their calls.
//
// A Reset that returns true continues the pending arming; a Reset that returns false begins a new
// arming. So however many goroutines reset the same Timeout, there are as many outcomes as Resets
// that returned false.
type crowd struct {
	tm *hashedwheel.Timer

	began, ran, stopped atomic.Int64
	early               atomic.Int64

	shared [24]hashedwheel.Timeout
	recent [64]atomic.Pointer[arming]

	quit    atomic.Bool
	members sync.WaitGroup
	mu      sync.Mutex
	armings []*arming // guarded by mu
}

// arming is never moved, so it has one outcome.
type arming struct {
	to           *hashedwheel.Timeout
	ran, stopped atomic.Int32
}

func randomDelay() time.Duration { return time.Duration(rand.IntN(8_000_000) - 500_000) }

// join has a member call f again and again until quit.
func (c *crowd) join(f func()) {
	c.members.Go(func() {
		for i := 0; !c.quit.Load(); i++ {
			f()
			if i%64 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
		}
	})
}

func (c *crowd) assemble() {
	for i := range c.shared {
		c.shared[i].Init(c.tm, hashedwheel.TaskFunc(c.expire))
	}
	c.join(c.afterFunc)
	c.join(c.schedule)
	c.join(c.stopRecent)
	for range 2 {
		c.join(func() { c.reset(&c.shared[rand.IntN(len(c.shared))], randomDelay()) })
		c.join(c.stopShared)
	}
	c.join(func() {
		c.tm.Pending()
		c.tm.Stats()
	})
}

func (c *crowd) afterFunc() {
	a, d := new(arming), randomDelay()
	deadline := time.Now().Add(d)
	a.to = c.tm.AfterFunc(d, func() { c.expireOnce(a, deadline) })
	c.keep(a)
}

func (c *crowd) schedule() {
	a, d := new(arming), randomDelay()
	deadline := time.Now().Add(d)
	to, err := c.tm.Schedule(d, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { c.expireOnce(a, deadline) }))
	if err != nil {
		c.began.Add(1) // and refused: Stats counts that
		return
	}
	a.to = to
	c.keep(a)
}

func (c *crowd) keep(a *arming) {
	c.began.Add(1)
	c.recent[rand.IntN(len(c.recent))].Store(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armings = append(c.armings, a)
}

func (c *crowd) expireOnce(a *arming, deadline time.Time) {
	if time.Now().Before(deadline) {
		c.early.Add(1)
	}
	a.ran.Add(1)
	c.ran.Add(1)
}

// expire is the task of a shared timeout. Every other time it arms it again.
func (c *crowd) expire(to *hashedwheel.Timeout) {
	deadline := to.Deadline()
	expired := to.State() == hashedwheel.Expired && to.Deadline().Equal(deadline)
	if expired && time.Now().Before(deadline) {
		c.early.Add(1)
	}
	if c.ran.Add(1)%2 == 0 {
		c.reset(to, randomDelay())
	}
}

func (c *crowd) reset(to *hashedwheel.Timeout, d time.Duration) {
	if !to.Reset(d) {
		c.began.Add(1)
	}
}

func (c *crowd) stopRecent() {
	if a := c.recent[rand.IntN(len(c.recent))].Load(); a != nil && a.to.Stop() {
		a.stopped.Add(1)
		c.stopped.Add(1)
	}
}

func (c *crowd) stopShared() {
	if c.shared[rand.IntN(len(c.shared))].Stop() {
		c.stopped.Add(1)
	}
}

// disperse stops the timer in the middle of it all and balances the books.
func (c *crowd) disperse(t *testing.T) {
	left := timertest.Shutdown(t, c.tm)
	ran := c.ran.Load()
	time.Sleep(3 * time.Millisecond) // some more armings, all too late
	c.quit.Store(true)
	c.members.Wait()

	stats := c.tm.Stats()
	assert.Zero(t, c.early.Load(), "ran early")
	assert.Equal(t, ran, c.ran.Load(), "a task ran after Shutdown")
	assert.Equal(t, uint64(ran), stats.Expired)
	assert.Zero(t, stats.Pending)
	assert.Equal(t, c.began.Load(), ran+c.stopped.Load()+int64(len(left))+int64(stats.Rejected),
		"armings = ran %d + stopped %d + left %d + refused %d", ran, c.stopped.Load(), len(left), stats.Rejected)
	c.assertOneOutcomeEach(t, left)
}

func (c *crowd) assertOneOutcomeEach(t *testing.T, left []*hashedwheel.Timeout) {
	returned := make(map[*hashedwheel.Timeout]int32)
	for _, to := range left {
		returned[to]++
	}
	wrong := 0
	for _, a := range c.armings {
		outcomes := a.ran.Load() + a.stopped.Load() + returned[a.to]
		if a.to.State() == hashedwheel.Rejected {
			outcomes++
		}
		if outcomes != 1 {
			wrong++
		}
	}
	assert.Zero(t, wrong, "of %d armings do not have exactly one outcome", len(c.armings))
}

func TestACrowdHasOneOutcomePerArming(t *testing.T) {
	for name, e := range timertest.Executors() {
		for _, limit := range []int{0, 20} {
			t.Run(name, func(t *testing.T) {
				c := &crowd{tm: timertest.NewOn(e, hashedwheel.WithMaxPending(limit), hashedwheel.WithWheelSize(4))}
				c.assemble()
				time.Sleep(timertest.Lasting(200 * time.Millisecond))
				assert.Eventually(t, func() bool { return c.ran.Load() > 0 }, 20*time.Second, time.Millisecond)
				if limit > 0 { // and what 8 calls under way may add
					assert.LessOrEqual(t, c.tm.Pending(), limit+8)
				}
				c.disperse(t)
			})
		}
	}
}

func TestManyGoroutinesRearmOneTimeout(t *testing.T) {
	for name, e := range timertest.Executors() {
		t.Run(name, func(t *testing.T) {
			c := &crowd{tm: timertest.NewOn(e)}
			to := timertest.Owned(c.tm, hashedwheel.TaskFunc(c.expire))
			for range 8 {
				c.join(func() {
					c.reset(to, time.Duration(rand.IntN(2_000_000)))
					if rand.IntN(8) == 0 && to.Stop() {
						c.stopped.Add(1)
					}
				})
			}
			time.Sleep(timertest.Lasting(150 * time.Millisecond))
			c.disperse(t)
		})
	}
}

// All who arm it at once reserve room, and all but one give it back.
func TestManyGoroutinesThatArmOneTimeoutTakeNoRoom(t *testing.T) {
	const limit = 20
	tm := timertest.NewOn(hashedwheel.Inline{}, hashedwheel.WithMaxPending(limit))
	defer tm.Stop()
	to := timertest.Owned(tm, timertest.NopTask)
	var users sync.WaitGroup
	end := time.Now().Add(timertest.Lasting(300 * time.Millisecond))
	for range 8 {
		users.Go(func() {
			for time.Now().Before(end) {
				to.Reset(time.Hour)
				to.Stop()
			}
		})
	}
	users.Wait()
	assert.Zero(t, tm.Stats().Rejected, "there was room for each")
	for range limit {
		assert.NoError(t, tm.AfterFunc(time.Hour, timertest.Nop).Err())
	}
	assert.ErrorIs(t, tm.AfterFunc(time.Hour, timertest.Nop).Err(), hashedwheel.ErrFull)
}
