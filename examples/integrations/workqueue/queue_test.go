package workqueue

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
)

const (
	ms   = time.Millisecond
	tick = ms
)

type (
	config  = workqueue.TypedDelayingQueueConfig[string]
	delayer = workqueue.TypedDelayingInterface[string]
)

// onWheel returns a Queue, and its Timer.
func onWheel(t *testing.T, c config, opts ...hashedwheel.Option) (*Queue[string], *hashedwheel.Timer) {
	opts = append(opts, hashedwheel.WithTick(tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	tm := hashedwheel.MustNew(opts...)
	q := New(tm, c)
	t.Cleanup(func() {
		q.ShutDown()
		require.Zero(t, tm.Pending())
		tm.StopAll()
	})
	return q, tm
}

// same runs a test with client-go's queue, and with the Queue.
func same(t *testing.T, c config, f func(t *testing.T, q delayer)) {
	t.Run("client-go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := workqueue.NewTypedDelayingQueueWithConfig(c)
			defer q.ShutDown()
			f(t, q)
		})
	})
	t.Run("wheel", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q, _ := onWheel(t, c)
			f(t, q)
		})
	})
}

// taken takes all due items, and returns them in their order.
func taken(q delayer) (items []string) {
	synctest.Wait()
	for q.Len() > 0 {
		item, _ := q.Get()
		q.Done(item)
		items = append(items, item)
	}
	return items
}

// after sleeps until d has passed, to the tick.
func after(d time.Duration) { time.Sleep(d + tick) }

// The cases are those of client-go's tests of its delaying queue, and the promises of its documentation.
func TestItemsAreAddedAtTheirTimes(t *testing.T) {
	type added struct {
		item string
		at   time.Duration
	}
	for name, tt := range map[string]struct{ calls, want []added }{
		"one item":                     {[]added{{"foo", 50 * ms}}, []added{{"foo", 50 * ms}}},
		"the earlier time comes first": {[]added{{"foo", 30 * ms}, {"foo", 50 * ms}}, []added{{"foo", 30 * ms}}},
		"the earlier time comes later": {[]added{{"foo", 50 * ms}, {"foo", 30 * ms}}, []added{{"foo", 30 * ms}}},
		"in the order of the times": {
			[]added{{"foo", time.Second}, {"bar", 500 * ms}, {"baz", 250 * ms}, {"qux", 2 * time.Second}},
			[]added{{"baz", 250 * ms}, {"bar", 500 * ms}, {"foo", time.Second}, {"qux", 2 * time.Second}},
		},
		// The item also stays among the waiting items: kubernetes/kubernetes#126027.
		"no delay":         {[]added{{"foo", 50 * ms}, {"foo", 0}}, []added{{"foo", 0}, {"foo", 50 * ms}}},
		"a negative delay": {[]added{{"foo", 50 * ms}, {"foo", -time.Hour}}, []added{{"foo", 0}, {"foo", 50 * ms}}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, config{}, func(t *testing.T, q delayer) {
				for range 2 { // in the second round, no time of the first counts
					start := time.Now()
					for _, call := range tt.calls {
						q.AddAfter(call.item, call.at)
						synctest.Wait()
					}
					for _, want := range tt.want {
						if want.at > 0 {
							time.Sleep(time.Until(start.Add(want.at - 1)))
							require.Empty(t, taken(q), "early")
							after(0)
						}
						require.Equal(t, []string{want.item}, taken(q))
					}
					after(time.Hour)
					require.Empty(t, taken(q), "twice")
				}
			})
		})
	}
}

func TestShutDownDropsWaitingItemsAndKeepsDueItems(t *testing.T) {
	for name, shutDown := range map[string]func(q delayer){
		"ShutDown":          delayer.ShutDown,
		"ShutDownWithDrain": delayer.ShutDownWithDrain,
	} {
		t.Run(name, func(t *testing.T) {
			same(t, config{}, func(t *testing.T, q delayer) {
				q.AddAfter("waits", 50*ms)
				q.Add("due")
				shutDown(q)
				require.True(t, q.ShuttingDown())
				q.AddAfter("late", 50*ms)
				q.AddAfter("late", 0)
				if ours, ok := q.(*Queue[string]); ok {
					require.Zero(t, ours.timer.Pending())
					require.Nil(t, ours.waiting)
				}
				after(time.Minute)
				require.Equal(t, []string{"due"}, taken(q))
				_, shutdown := q.Get()
				require.True(t, shutdown)
			})
		})
	}
}

func TestShutDownWithDrainWaitsForItemsInWork(t *testing.T) {
	for name, end := range map[string]func(q delayer){
		"until Done":     func(q delayer) { q.Done("foo") },
		"until ShutDown": delayer.ShutDown, // at a second SIGTERM
	} {
		t.Run(name, func(t *testing.T) {
			same(t, config{}, func(t *testing.T, q delayer) {
				q.Add("foo")
				_, _ = q.Get()
				drained := make(chan struct{})
				go func() { q.ShutDownWithDrain(); close(drained) }()
				synctest.Wait()
				require.False(t, timertest.IsClosed(drained))
				end(q)
				synctest.Wait()
				require.True(t, timertest.IsClosed(drained))
			})
		})
	}
}

// A meter is a provider of metrics, and has the sum of each by its name.
type meter struct {
	mu   sync.Mutex
	sums map[string]float64 // guarded by mu
}

type metric struct {
	meter *meter
	name  string
}

func (m metric) Inc()        { m.Observe(1) }
func (m metric) Dec()        { m.Observe(-1) }
func (m metric) Set(float64) {}
func (m metric) Observe(v float64) {
	m.meter.mu.Lock()
	defer m.meter.mu.Unlock()
	m.meter.sums[m.name] += v
}

type (
	gauge     = workqueue.SettableGaugeMetric
	histogram = workqueue.HistogramMetric
)

func (m *meter) NewDepthMetric(n string) workqueue.GaugeMetric        { return metric{m, n + " depth"} }
func (m *meter) NewAddsMetric(n string) workqueue.CounterMetric       { return metric{m, n + " adds"} }
func (m *meter) NewRetriesMetric(n string) workqueue.CounterMetric    { return metric{m, n + " retries"} }
func (m *meter) NewLatencyMetric(n string) histogram                  { return metric{m, n + " latency"} }
func (m *meter) NewWorkDurationMetric(n string) histogram             { return metric{m, n + " work"} }
func (m *meter) NewUnfinishedWorkSecondsMetric(string) gauge          { return metric{} }
func (m *meter) NewLongestRunningProcessorSecondsMetric(string) gauge { return metric{} }

func TestMetricsAreClientGos(t *testing.T) {
	m := &meter{}
	same(t, config{Name: "q", MetricsProvider: m}, func(t *testing.T, q delayer) {
		m.sums = map[string]float64{}
		q.AddAfter("foo", 50*ms)
		q.AddAfter("foo", 30*ms)
		q.AddAfter("bar", 0)
		time.Sleep(time.Second)
		item, _ := q.Get()
		require.Equal(t, "bar", item)
		time.Sleep(2 * time.Second)
		q.Done(item)
		q.ShutDown()
		q.AddAfter("late", ms)
		require.Equal(t, map[string]float64{
			"q adds": 2, "q depth": 1, "q latency": 1, "q work": 2, "q retries": 3,
		}, m.sums)
	})
}

func TestNoItemIsLostWhenTheTimerIsFullOrStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, tm := onWheel(t, config{}, hashedwheel.WithMaxPending(1))
		q.AddAfter("foo", 10*ms)
		q.AddAfter("bar", 20*ms)
		after(20 * ms)
		require.Equal(t, []string{"foo", "bar"}, taken(q))
		tm.StopAll()
		q.AddAfter("foo", 50*ms)
		q.AddAfter("foo", 40*ms)
		time.Sleep(40*ms - 1)
		require.Empty(t, taken(q), "early")
		after(0)
		require.Equal(t, []string{"foo"}, taken(q))
		after(time.Hour)
		require.Empty(t, taken(q), "twice")
	})
}

// StopAll cancels the timeout of a waiting item, so the item waits until it is added again.
func TestItemThatWaitedAtStopAllCanBeAddedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, tm := onWheel(t, config{})
		q.AddAfter("foo", 50*ms)
		require.Len(t, tm.StopAll(), 1)
		q.AddAfter("foo", time.Minute)
		after(50 * ms)
		require.Empty(t, taken(q), "at the time of the canceled timeout")
		q.AddAfter("foo", 2*time.Minute)
		after(time.Minute - 50*ms)
		require.Equal(t, []string{"foo"}, taken(q))
		after(time.Hour)
		require.Empty(t, taken(q), "twice")
	})
}

// Several goroutines add items while a worker takes items. No item is left at the end.
func TestQueueInConcurrentUse(t *testing.T) {
	q, tm := onWheel(t, config{})
	var adders, worker sync.WaitGroup
	worker.Go(func() {
		for item, shutdown := q.Get(); !shutdown; item, shutdown = q.Get() {
			q.Done(item)
		}
	})
	for i := range 4 {
		adders.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for range 5000 {
				item := string(rune('a' + random.IntN(8)))
				q.AddAfter(item, time.Duration(random.IntN(3))*ms)
			}
		})
	}
	adders.Wait()
	require.Eventually(t, func() bool { return tm.Pending() == 0 && q.Len() == 0 }, 10*time.Second, ms)
	q.mu.Lock()
	require.Empty(t, q.waiting)
	q.mu.Unlock()
	q.ShutDown()
	worker.Wait()
}

// provider has the metrics of all queues that are made without a provider, as a controller's queue is.
var provider = &meter{sums: map[string]float64{}}

func TestQueueOfAControllerIsOnTheWheel(t *testing.T) {
	workqueue.SetProvider(provider)
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		defer tm.StopAll()
		limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](ms, time.Second)
		q := NewQueue[string](tm)("pods", limiter)
		defer q.ShutDown()
		retries := provider.sums["pods retries"]
		for _, d := range []time.Duration{ms, 2 * ms} {
			start := time.Now()
			q.AddRateLimited("pod")
			require.Equal(t, 1, tm.Pending())
			_, _ = q.Get()
			require.Equal(t, d, time.Since(start).Truncate(ms))
			q.Done("pod")
		}
		require.Equal(t, retries+2, provider.sums["pods retries"])
	})
}
