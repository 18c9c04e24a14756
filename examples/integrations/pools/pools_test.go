// Package pools shows pools whose methods do not fit hashedwheel.Executor as they are. If nothing but a bound is
// needed, use hashedwheel.Limit.
package pools

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/errgroup"

	"github.com/hashedwheel/hashedwheel"
)

// onErrgroup runs tasks in g. With SetLimit g.Go blocks, and would block the Timer's worker, so a Limit of one, in
// which the tasks wait, calls it. Call g.Wait after Timer.Shutdown.
func onErrgroup(g *errgroup.Group) hashedwheel.Executor {
	queue := hashedwheel.Limit(1)
	return hashedwheel.ExecutorFunc(func(f func()) {
		queue.Go(func() {
			g.Go(func() error {
				f()
				return nil
			})
		})
	})
}

// onAnts runs tasks in pool, whose Submit blocks while the pool is full. If the pool is closed, or full and made
// WithNonblocking, it accepts no task: onAnts starts a goroutine for it, since a lost task would make Shutdown wait.
// The pool logs the panic of a task, and goes on, unless the Timer has a panic handler.
func onAnts(pool *ants.Pool) hashedwheel.Executor {
	queue := hashedwheel.Limit(1)
	return hashedwheel.ExecutorFunc(func(f func()) {
		queue.Go(func() {
			if pool.Submit(f) != nil {
				go f()
			}
		})
	})
}

// onPond runs tasks in pool, which has a queue itself. If the pool is stopped, it accepts no task. The pool drops the
// panic of a task, unless the Timer has a panic handler. A pool with pond.WithQueueSize needs a Limit, as ants does.
func onPond(pool pond.Pool) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) {
		if pool.Go(f) != nil {
			go f()
		}
	})
}

// Two tasks run at once and block, and others wait. Nothing else is late.
func TestPoolsDoNotBlockTheWorker(t *testing.T) {
	group := new(errgroup.Group)
	group.SetLimit(2)
	antsPool, err := ants.NewPool(2)
	assert.NoError(t, err)
	defer antsPool.Release()
	pondPool := pond.NewPool(2)
	defer pondPool.StopAndWait()

	for name, executor := range map[string]hashedwheel.Executor{
		"errgroup": onErrgroup(group),
		"ants":     onAnts(antsPool),
		"pond":     onPond(pondPool),
	} {
		t.Run(name, func(t *testing.T) {
			tm := hashedwheel.MustNew(hashedwheel.WithExecutor(executor))
			var ran sync.WaitGroup
			began, over := make(chan struct{}, 100), make(chan struct{})
			for range cap(began) {
				ran.Add(1)
				tm.AfterFunc(time.Millisecond, func() {
					defer ran.Done()
					began <- struct{}{}
					<-over
				})
			}
			select {
			case <-tm.After(50 * time.Millisecond):
			case <-time.After(10 * time.Second):
				assert.Fail(t, "the worker is blocked")
			}
			assert.Zero(t, tm.Pending())
			assert.Len(t, began, 2)
			close(over)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := tm.Shutdown(ctx)
			assert.NoError(t, err)
			ran.Wait()
		})
	}
	assert.NoError(t, group.Wait())
}
