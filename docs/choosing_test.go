package docs

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func newPool() (*hashedwheel.Timer, chan func()) {
	jobs := make(chan func(), 1000)
	for range 16 {
		go func() {
			for f := range jobs {
				f()
			}
		}()
	}
	pool := hashedwheel.ExecutorFunc(func(f func()) { jobs <- f })
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(pool))
	return tm, jobs
}

func TestAFullPoolKeepsDueTasksWaitingAndShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, jobs := newPool()
		defer close(jobs)
		defer tm.Stop()
		release := make(chan struct{})
		for range 16 + cap(jobs) {
			tm.AfterFunc(0, func() { <-release })
		}
		pass(0)
		require.Len(t, jobs, cap(jobs))

		var ran atomic.Int32
		for range 2 { // the worker is blocked with the first
			tm.AfterFunc(0, func() { ran.Add(1) })
		}
		tm.AfterFunc(time.Hour, func() {}).Stop() // does not wait
		pass(time.Second)
		assert.Zero(t, ran.Load())
		assert.Greater(t, tm.Stats().Overdue, time.Second-2*tm.Tick())
		close(release)
		pass(0)
		assert.EqualValues(t, 2, ran.Load())
	})
}

type call struct {
	deadline hashedwheel.Timeout
	done     chan struct{}
	once     sync.Once
	err      error
}

func newCall(tm *hashedwheel.Timer, d time.Duration) (*call, error) {
	c := &call{done: make(chan struct{})}
	c.deadline.Init(tm, c)
	c.deadline.Reset(d)
	if err := c.deadline.Err(); err != nil {
		return nil, err // full or stopped: nothing would end the call
	}
	return c, nil
}

// Run makes the call its own Task, so that no closure is needed.
func (c *call) Run(*hashedwheel.Timeout) { c.finish(context.DeadlineExceeded) }

func (c *call) finish(err error) {
	c.deadline.Stop()
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

func TestACallThatIsFinishedLeavesNoDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		c, err := newCall(tm, time.Second)
		require.NoError(t, err)
		c.finish(nil)
		assert.Zero(t, tm.Pending())
		<-c.done
		assert.NoError(t, c.err)
	})
}

func TestACallThatIsNotFinishedEndsAtItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := time.Now().Add(time.Second)
		c, err := newCall(tm, time.Second)
		require.NoError(t, err)
		<-c.done
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
		c.finish(nil) // too late
		assert.ErrorIs(t, c.err, context.DeadlineExceeded)
	})
}

func TestACallWithoutADeadlineIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		_, err := newCall(tm, time.Second)
		require.NoError(t, err)
		_, err = newCall(tm, time.Second)
		assert.ErrorIs(t, err, hashedwheel.ErrFull, "full")
		tm.Stop()
		_, err = newCall(tm, time.Second)
		assert.ErrorIs(t, err, hashedwheel.ErrStopped, "stopped")
	}, hashedwheel.WithMaxPending(1))
}

func await(tm *hashedwheel.Timer, reply <-chan string) (string, error) {
	select {
	case r := <-reply:
		return r, nil
	case <-tm.After(30 * time.Second):
		return "", context.DeadlineExceeded
	}
}

func TestASelectEndsWithTheReplyOrAtTheDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		reply := make(chan string, 1)
		reply <- "pong"
		r, err := await(tm, reply)
		require.NoError(t, err)
		assert.Equal(t, "pong", r)

		_, err = await(tm, reply)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func heartbeat(ctx context.Context, tm *hashedwheel.Timer, send func(string)) {
	const ping, period = "ping", 10 * time.Second
	beat := tm.EveryFrom(tm.Now().Add(rand.N(period)), period, func(*hashedwheel.Series) { send(ping) })
	defer beat.Stop()
	<-ctx.Done()
}

func TestHeartbeatsAreSentUntilTheConnectionEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		beats := 0
		go heartbeat(ctx, tm, func(string) { beats++ })
		time.Sleep(30 * time.Second)
		synctest.Wait()
		sent := beats
		assert.InDelta(t, 3, sent, 1) // the first is at random
		cancel()
		pass(30 * time.Second)
		assert.Equal(t, sent, beats)
	})
}

func retry(tm *hashedwheel.Timer, attempt int, try func() error, done func(error)) {
	err := try()
	if err == nil || attempt == 6 {
		done(err) // nil: it worked
		return
	}
	backoff := 100 * time.Millisecond << attempt
	backoff += rand.N(backoff)
	again := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { retry(tm, attempt+1, try, done) })
	if _, refused := tm.Schedule(backoff, again); refused != nil {
		done(errors.Join(err, refused))
	}
}

var errDown = errors.New("down")

// retried has retry try a server that is down for the first failures tries, and
// returns how often it tried and its result.
func retried(tm *hashedwheel.Timer, failures int) (tries int, err error) {
	done := make(chan error)
	go retry(tm, 0, func() error {
		tries++
		if tries <= failures {
			return errDown
		}
		return nil
	}, func(err error) { done <- err })
	err = <-done
	return tries, err
}

func TestARetryTriesUntilItWorks(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		begin := time.Now()
		tries, err := retried(tm, 2)
		assert.NoError(t, err)
		assert.Equal(t, 3, tries)
		// Twice a back-off, of 100 and 200 ms, up to doubled, and a tick.
		assert.WithinRange(t, time.Now(), begin.Add(300*time.Millisecond), begin.Add(600*time.Millisecond+2*tick))
	})
}

func TestARetryGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tries, err := retried(tm, 100)
		assert.Equal(t, errDown, err)
		assert.Equal(t, 7, tries)
	})
}

func TestARetryThatIsRefusedFails(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		tries, err := retried(tm, 2)
		assert.ErrorIs(t, err, errDown)
		assert.ErrorIs(t, err, hashedwheel.ErrStopped)
		assert.Equal(t, 1, tries)
	})
}
