package recipes_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

type makeContext func(parent context.Context, d time.Duration) (context.Context, context.CancelFunc)

// ofBoth runs f in a bubble, with context.WithTimeout and with withTimeout.
func ofBoth(t *testing.T, f func(t *testing.T, withTimeout makeContext)) {
	t.Run("the context package", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, context.WithTimeout) })
	})
	t.Run("here", func(t *testing.T) {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			f(t, func(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
				return withTimeout(parent, tm, d)
			})
		})
	})
}

func TestContextBehavesLikeContextWithTimeout(t *testing.T) {
	type key struct{}
	parent := context.WithValue(context.Background(), key{}, "value")
	for name, end := range map[string]func(cancel func()) (want error){
		"by its deadline": func(func()) error { timertest.Pass(time.Second); return context.DeadlineExceeded },
		"by cancel":       func(cancel func()) error { cancel(); return context.Canceled },
	} {
		t.Run(name, func(t *testing.T) {
			ofBoth(t, func(t *testing.T, withTimeout makeContext) {
				ctx, cancel := withTimeout(parent, time.Second)
				defer cancel()
				child, cancelChild := context.WithTimeout(ctx, time.Minute)
				defer cancelChild()
				calls := 0
				stop := context.AfterFunc(ctx, func() { calls++ })
				assert.True(t, context.AfterFunc(ctx, func() { calls += 100 })())
				all := []context.Context{ctx, child}
				for _, c := range all {
					deadline, ok := c.Deadline()
					assert.True(t, ok)
					assert.Equal(t, time.Now().Add(time.Second), deadline)
					assert.NoError(t, c.Err())
					assert.False(t, timertest.IsClosed(c.Done()))
					assert.Equal(t, "value", c.Value(key{}))
				}
				timertest.Pass(time.Second - 1)
				assert.NoError(t, ctx.Err())

				want := end(cancel)
				late, cancelLate := context.WithCancel(ctx)
				defer cancelLate()
				for _, c := range append(all, late) { // immediately, not eventually
					assert.Equal(t, want, c.Err())
					assert.Equal(t, want, context.Cause(c))
					assert.True(t, timertest.IsClosed(c.Done()))
				}
				synctest.Wait()
				assert.Equal(t, 1, calls)
				assert.False(t, stop())
				cancel()
				timertest.Pass(time.Second)
				assert.Equal(t, want, ctx.Err(), "the first decides")
			})
		})
	}
}

// Where the wheel saves almost nothing, or refuses, the context is the context package's.
func TestContextIsTheContextPackagesWhereTheWheelIsNoUse(t *testing.T) {
	tm := timertest.New(hashedwheel.WithMaxPending(1))
	isHere := func(parent context.Context, d time.Duration) bool {
		ctx, cancel := withTimeout(parent, tm, d)
		t.Cleanup(cancel)
		_, isHere := ctx.(*timeoutContext)
		return isHere
	}
	ending, end := context.WithCancel(context.Background())
	defer end()
	assert.False(t, isHere(ending, time.Hour))
	assert.False(t, isHere(context.Background(), 0))
	assert.True(t, isHere(context.Background(), time.Hour))
	assert.False(t, isHere(context.Background(), time.Hour), "the Timer is full")
}

// A canceled context leaves nothing in the context that it was made from, or on the wheel.
func TestContextIsReleasedWhenItIsCanceled(t *testing.T) {
	tm := timertest.New()
	ctx, cancel := withTimeout(context.Background(), tm, time.Hour)
	_, cancelChild := context.WithCancel(ctx)
	cancelChild()
	assert.Empty(t, ctx.(*timeoutContext).onDone)
	cancel()
	assert.Zero(t, tm.Pending())
}

// BenchmarkWithTimeout compares contexts that are canceled before their deadline with those of context.WithTimeout.
// docs/migrating.md has the result of
//
//	go test -run '^$' -bench WithTimeout -benchmem -count 6 ./examples/recipes
func BenchmarkWithTimeout(b *testing.B) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	here := func(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
		return withTimeout(parent, tm, d)
	}
	tied := func(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := withTimeout(context.WithoutCancel(parent), tm, d)
		stop := context.AfterFunc(parent, cancel)
		return ctx, func() { stop(); cancel() }
	}
	ending, end := context.WithCancel(context.Background())
	defer end()
	never := context.WithValue(context.Background(), b, "a trace")
	for _, row := range []struct {
		name   string
		parent context.Context
		make   makeContext
		use    func(ctx context.Context)
	}{
		{"never-ends/context", never, context.WithTimeout, selectDone},
		{"never-ends/here", never, here, selectDone},
		{"can-end/context", ending, context.WithTimeout, selectDone},
		{"can-end/here", ending, tied, selectDone},
		{"child/context", never, context.WithTimeout, callRPC},
		{"child/here", never, here, callRPC},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			before := timertest.CPUTime()
			for b.Loop() {
				ctx, cancel := row.make(row.parent, 5*time.Second)
				row.use(ctx)
				cancel()
			}
			used := timertest.CPUTime() - before // including the collector and the worker
			b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
		})
	}
}

// selectDone selects on the context's Done without waiting.
func selectDone(ctx context.Context) {
	select {
	case <-ctx.Done():
	default:
	}
}

// callRPC uses a context as gRPC does in a call: it reads the deadline, and waits with a context made from ctx.
func callRPC(ctx context.Context) {
	_, _ = ctx.Deadline()
	child, cancel := context.WithCancel(ctx)
	selectDone(child)
	cancel()
}
