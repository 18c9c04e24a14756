package promises

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// numbered is a task by which a test finds its timeout in a sample.
type numbered int

func (numbered) Run(*hashedwheel.Timeout) {}
func (n numbered) TaskName() string       { return strconv.Itoa(int(n)) }

// armNumbered arms n timeouts with the numbers from 0 on.
func armNumbered(tm *hashedwheel.Timer, n int, delay func(i int) time.Duration) (all []*hashedwheel.Timeout) {
	for i := range n {
		t, _ := tm.Schedule(delay(i), numbered(i))
		all = append(all, t)
	}
	return all
}

// numbersIn returns the numbers of the tasks in a sample, each with its deadline. It fails the test if a number appears
// twice.
func numbersIn(t *testing.T, sample []hashedwheel.Sampled) map[numbered]time.Time {
	t.Helper()
	found := map[numbered]time.Time{}
	for _, s := range sample {
		if n, err := strconv.Atoi(s.Name); err == nil {
			i := numbered(n)
			_, twice := found[i]
			require.False(t, twice, "found twice")
			found[i] = s.Deadline
		}
	}
	return found
}

// places has the places in the wheel where a crowd can be, by the delay of each timeout.
var places = map[string]func(i int) time.Duration{
	"one bucket": func(int) time.Duration { return 100 * time.Millisecond },
	"one slot":   func(int) time.Duration { return time.Hour },
	"all over": func(i int) time.Duration {
		return time.Duration(i%997) * time.Duration(i%97) * time.Second
	},
	"a bucket, and a slot":  func(i int) time.Duration { return time.Duration(min(i, 1)) * time.Hour },
	"a timeout in each":     func(i int) time.Duration { return time.Duration(i) * 10 * time.Millisecond },
	"due, and not yet told": func(int) time.Duration { return -time.Second },
}

func TestSampleHasThePendingTimeouts(t *testing.T) {
	aCrowd := limits.Crowd + 1000
	if !testing.Short() {
		aCrowd *= 4
	}
	for place, delay := range places {
		for _, size := range []int{1, 2, 64, 512} {
			for _, n := range []int{0, 1, 10, 1000, aCrowd} {
				t.Run(fmt.Sprintf("%s/buckets=%d/pending=%d", place, size, n), func(t *testing.T) {
					_, tm := timertest.NewManual(hashedwheel.WithWheelSize(size))
					want := map[numbered]time.Time{}
					for i, to := range armNumbered(tm, n+n/3, delay) {
						if i < n {
							want[numbered(i)] = to.Deadline()
						} else {
							to.Stop()
						}
					}
					for _, most := range []int{n, n + 1, math.MaxInt} {
						require.Equal(t, want, numbersIn(t, tm.Sample(most)))
					}
					for _, fewer := range []int{math.MinInt, -1, 0, 1, 2, n / 3, n - 1} {
						require.Len(t, numbersIn(t, tm.Sample(fewer)), min(n, max(0, fewer)))
					}
				})
			}
		}
	}
}

func TestSampleIsAsLikelyToHaveOneTimeoutAsAnother(t *testing.T) {
	samples := 4000
	if testing.Short() {
		samples /= 4
	}
	delta := 3.5 * math.Sqrt(float64(samples)) // seven standard deviations at least
	for place, delay := range places {
		for _, c := range []struct{ pending, want int }{{40, 10}, {3, 2}, {7, 5}, {100, 99}} {
			t.Run(fmt.Sprintf("%s/%d of %d", place, c.want, c.pending), func(t *testing.T) {
				_, tm := timertest.NewManual()
				armNumbered(tm, c.pending, delay)
				times := map[numbered]int{}
				for range samples {
					for i := range numbersIn(t, tm.Sample(c.want)) {
						times[i]++
					}
				}
				require.Len(t, times, c.pending)
				for _, n := range times {
					assert.InDelta(t, samples*c.want/c.pending, n, delta)
				}
			})
		}
	}
}
