package promises

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// moved is a timeout that several goroutines and its own task arm, move and stop, and its latest deadline.
type moved struct {
	hashedwheel.Timeout
	mu       sync.Mutex // guards all below
	pending  bool
	deadline time.Time
	late     func(d time.Duration) // gets the lateness of each run
	random   *rand.Rand
	left     int // so often the task arms it again
}

func (m *moved) Run(*hashedwheel.Timeout) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.pending {
		return // a goroutine has stopped or armed it between its expiry and this run
	}
	m.pending = false
	m.late(time.Since(m.deadline))
	if m.left > 0 {
		m.left--
		m.change()
	}
}

// change makes one call. The caller holds mu.
func (m *moved) change() {
	tick := m.Timer().Tick()
	d := []time.Duration{0, tick / 3, tick, 3 * tick, 40 * tick, 51 * time.Millisecond, time.Second}[m.random.IntN(7)]
	d = time.Duration(m.random.Int64N(int64(d) + 1))
	now := time.Now()
	if m.State() != hashedwheel.Pending {
		m.pending = false
	}
	switch m.random.IntN(4) {
	case 0, 1:
		m.Reset(d)
		m.pending, m.deadline = true, now.Add(d)
	case 2:
		if m.Move(d) {
			m.deadline = now.Add(d)
		}
	case 3:
		m.Stop()
		m.pending = false
	}
}

// Time stands still while goroutines run, so all figures are exact to the nanosecond.
func TestAtMostOneTickLateAndLatenessIsReportedWithOddTicks(t *testing.T) {
	for _, tick := range []time.Duration{100_000, 150_000, 199_999, 999_999, 1_000_001, 7_777_777, 1e8, 1e9} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("tick %v, seed %d", tick, seed), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var mu sync.Mutex
					var sum, worst, least time.Duration
					var all [16]moved
					for i := range all {
						all[i].random = rand.New(rand.NewPCG(seed, uint64(i)))
						all[i].left = 100
						all[i].late = func(d time.Duration) {
							mu.Lock()
							defer mu.Unlock()
							sum, worst, least = sum+d, max(worst, d), min(least, d)
						}
						all[i].Init(tm, &all[i])
					}
					var callers sync.WaitGroup
					for g := range uint64(3) {
						callers.Go(func() {
							random := rand.New(rand.NewPCG(seed, 100+g))
							for range 300 {
								m := &all[random.IntN(len(all))]
								m.mu.Lock()
								m.change()
								m.mu.Unlock()
								time.Sleep(time.Duration(random.Int64N(int64(tick))))
							}
						})
					}
					callers.Wait()
					timertest.Pass(200*time.Second + 10_000*tick)
					assert.Positive(t, tm.Stats().Expired)
					assert.Zero(t, tm.Pending(), "lost")
					assert.Zero(t, least, "early")
					assert.LessOrEqual(t, worst, tick)
					// Not exactly: a timeout that has expired may be armed again before it runs.
					assert.InDelta(t, sum, tm.Stats().LatenessSum, float64(tick))
				}, timertest.Inline, hashedwheel.WithTick(tick))
			})
		}
	}
}
