package docs

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

var (
	_ stopper = (*time.Timer)(nil)
	_ stopper = (*hashedwheel.Timeout)(nil)
)

func ask(tm *hashedwheel.Timer, reply <-chan string) (string, error) {
	t := wheeltime.NewTimer(tm, 30*time.Second) // was: time.NewTimer(30 * time.Second)
	defer t.Stop()
	select {
	case r := <-reply:
		return r, nil
	case <-t.C:
		return "", context.DeadlineExceeded
	}
}

func TestSelectOnAWheeltimeTimer(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		reply := make(chan string, 1)
		reply <- "pong"
		r, err := ask(tm, reply)
		require.NoError(t, err)
		assert.Equal(t, "pong", r)
		assert.Zero(t, tm.Pending())

		deadline := time.Now().Add(30 * time.Second)
		_, err = ask(tm, reply)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
	})
}

func everySecond(ctx context.Context, tm *hashedwheel.Timer, work func()) {
	ticker := wheeltime.NewTicker(tm, time.Second) // was: time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			work()
		case <-ctx.Done():
			return
		}
	}
}

func TestWheeltimeTickerEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		runs := 0
		everySecond(ctx, tm, func() { runs++ })
		assert.Equal(t, 3, runs)
		assert.Zero(t, tm.Pending())
	})
}

func pauseTwice(tm *hashedwheel.Timer) time.Time {
	wheeltime.Sleep(tm, time.Second)         // was: time.Sleep(time.Second)
	at := <-wheeltime.After(tm, time.Second) // was: <-time.After(time.Second)
	return at
}

func TestWheeltimeSleepAndAfterTakeTheirTime(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := time.Now().Add(2 * time.Second)
		assert.WithinRange(t, pauseTwice(tm), deadline, deadline.Add(2*tick))
	})
}

func TestReplyIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew() // in the bubble
		defer tm.Stop()             // before the bubble ends
		if _, err := ask(tm, make(chan string)); err != context.DeadlineExceeded {
			t.Error(err)
		}
	})
}

// TestForgottenStopIsExplained runs itself with a Timer that is not stopped, and looks for the last
// line of Go in migrating.md.
func TestForgottenStopIsExplained(t *testing.T) {
	if os.Getenv("FORGOTTEN_STOP") != "" {
		synctest.Test(t, func(*testing.T) {
			hashedwheel.MustNew().AfterFunc(time.Minute, func() {})
			synctest.Wait()
		})
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestForgottenStopIsExplained$")
	child.Env = append(os.Environ(), "FORGOTTEN_STOP=1")
	out, err := child.CombinedOutput()
	require.Error(t, err)
	const message = "panic: deadlock: main bubble goroutine has exited but blocked goroutines remain"
	assert.Contains(t, string(out), message)
	assert.Contains(t, string(out), "hashedwheel.(*worker).sleepUntil(")
	assert.Contains(t, contents(t, "migrating.md")[0], "\n    "+message+"\n")
}

func withTimeout(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	expire := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { cancel(context.DeadlineExceeded) })
	timeout, err := tm.Schedule(d, expire)
	if err != nil {
		cancel(err) // stopped or full; or fall back to context.WithTimeout
		return ctx, func() {}
	}
	return ctx, func() {
		timeout.Stop()
		cancel(context.Canceled)
	}
}

func TestWithTimeoutEndsAtItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := time.Now().Add(time.Second)
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, context.DeadlineExceeded, context.Cause(ctx))
	})
}

func TestWithTimeoutIsCanceled(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		require.NoError(t, ctx.Err())
		cancel()
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutIsPendingUntilCancelThoughItsParentHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		parent, end := context.WithCancel(t.Context())
		ctx, cancel := withTimeout(parent, tm, time.Second)
		end()
		<-ctx.Done()
		assert.Equal(t, 1, tm.Pending())
		cancel()
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutThatIsRefusedHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.Equal(t, hashedwheel.ErrStopped, context.Cause(ctx))
	})
}

func TestTimersByKey(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		execute := func(key string, _ int) { t.Error(key, "ran") }
		jobs := keyed.New(tm, execute)
		err := jobs.Set("a", 1, time.Minute)     // arms a, or replaces its value and moves it
		_, moved := jobs.Touch("a", time.Second) // false: a is gone, or the timer refused
		value, ok := jobs.Delete("a")            // true: execute is not called for a
		require.NoError(t, err)
		assert.True(t, moved)
		assert.True(t, ok)
		assert.Equal(t, 1, value)
		pass(time.Hour)
	})
}

func TestDrainTakesTheKeysThatAreLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran, saved := make(chan string, 10), map[string]int{}
		jobs := keyed.New(tm, func(key string, _ int) { ran <- key })
		save := func(key string, value int) { saved[key] = value }
		require.NoError(t, jobs.Set("due", 1, time.Second))
		require.NoError(t, jobs.Set("a", 2, time.Minute))
		pass(time.Second)
		tm.Stop()
		jobs.Drain(save)
		assert.Equal(t, map[string]int{"a": 2}, saved)
		pass(time.Hour)
		require.Len(t, ran, 1)
		assert.Equal(t, "due", <-ran)
	})
}
