package hashedwheel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newDueBatch returns a timer that stands still, with n timeouts that are filed
// and have come due behind its back.
func newDueBatch(n int) (tm *Timer, all []*Timeout, ran []atomic.Int32) {
	clock := NewManualClock(time.Unix(0, 0))
	tm = MustNew(WithClock(clock), WithExecutor(Inline{}))
	ran = make([]atomic.Int32, n)
	for i := range n {
		all = append(all, tm.AfterFunc(0, func() { ran[i].Add(1) }))
	}
	tm.Pending() // files them
	clock.now = clock.now.Add(time.Duration(tm.tick))
	return tm, all, ran
}

// The wheel is handed on at any moment of a pass, between a claim and the look
// at who is the worker, too: nobody waits for a task that is slow, here.
func TestHandoffAtAnyMomentOfAPassLosesAndDoublesNothing(t *testing.T) {
	for round := range 3000 {
		tm, _, ran := newDueBatch(batchSize)
		var passed sync.WaitGroup
		old := tm.batch.Load()
		tm.running.Add(1)
		passed.Go(func() {
			defer tm.leave()
			tm.pass(old)
		})
		for tm.expired.Load() < uint64(round%batchSize) {
			runtime.Gosched()
		}
		tm.mu.Lock()
		tm.handOn()
		tm.mu.Unlock()
		passed.Wait()
		for tm.running.Load() > 0 { // the new worker
			runtime.Gosched()
		}
		require.Zero(t, tm.Pending())
		require.Equal(t, uint64(batchSize), tm.Stats().Expired)
		for i := range ran {
			require.Equal(t, int32(1), ran[i].Load(), "runs of number %d in round %d", i, round)
		}
	}
}

func TestTakeOut(t *testing.T) {
	for says, c := range map[string]struct {
		state State
		stays bool
	}{
		"takes out what was claimed where it was filed again": {Expired, false},
		"leaves what has been armed again since":              {Pending, true},
	} {
		t.Run(says, func(t *testing.T) {
			tm, all, _ := newDueBatch(1)
			setWord(all[0], 0, 0, c.state)
			tm.takeOut(all[0])
			assert.Equal(t, c.stays, tm.wheel.count == 1)
			assert.Equal(t, c.stays, all[0].home != unfiled)
		})
	}
}
