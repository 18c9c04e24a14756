package workqueue

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
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
		tm.Stop()
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

// taken returns the items that are due, in their order.
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

// The tests with same tell client-go's tests of its delaying queue, and what its documentation promises.

func TestItemIsAddedOnceAtItsTime(t *testing.T) {
	same(t, config{}, func(t *testing.T, q delayer) {
		q.AddAfter("foo", 50*ms)
		time.Sleep(50*ms - 1)
		require.Empty(t, taken(q))
		after(0)
		require.Equal(t, []string{"foo"}, taken(q))
		after(10 * time.Second)
		require.Empty(t, taken(q))
	})
}

func TestEarlierOfTwoTimesCounts(t *testing.T) {
	same(t, config{}, func(t *testing.T, q delayer) {
		for _, delays := range [][]time.Duration{{30 * ms, 50 * ms}, {50 * ms, 30 * ms}} {
			for _, d := range delays {
				q.AddAfter("foo", d)
				synctest.Wait()
			}
			time.Sleep(30*ms - 1)
			require.Empty(t, taken(q))
			after(0)
			require.Equal(t, []string{"foo"}, taken(q))
			after(20 * ms)
			require.Empty(t, taken(q))
		}
	})
}

func TestItemsAreAddedInTheOrderOfTheirTimes(t *testing.T) {
	same(t, config{}, func(t *testing.T, q delayer) {
		q.AddAfter("foo", time.Second)
		q.AddAfter("bar", 50*ms)
		after(50 * ms)
		require.Equal(t, []string{"bar"}, taken(q))
		q.AddAfter("baz", 2*time.Second)
		after(time.Second)
		require.Equal(t, []string{"foo"}, taken(q))
		after(2 * time.Second)
		require.Equal(t, []string{"baz"}, taken(q))

		q.AddAfter("foo", time.Second)
		q.AddAfter("bar", 500*ms)
		q.AddAfter("baz", 250*ms)
		after(2 * time.Second)
		require.Equal(t, []string{"baz", "bar", "foo"}, taken(q))
	})
}

// An item that is waiting and is added stays among the waiting items: kubernetes/kubernetes#126027.
func TestDelayOfZeroAddsAtOnceAndLeavesTheWaitingItem(t *testing.T) {
	same(t, config{}, func(t *testing.T, q delayer) {
		for _, d := range []time.Duration{0, -time.Hour} {
			q.AddAfter("foo", 50*ms)
			q.AddAfter("foo", d)
			require.Equal(t, 1, q.Len())
			require.Equal(t, []string{"foo"}, taken(q))
			after(50 * ms)
			require.Equal(t, []string{"foo"}, taken(q))
		}
	})
}

var shutDowns = map[string]func(q delayer){
	"ShutDown":          func(q delayer) { q.ShutDown() },
	"ShutDownWithDrain": func(q delayer) { q.ShutDownWithDrain() },
}

func TestShutDownDropsWaitingItemsAndKeepsDueItems(t *testing.T) {
	for name, shutDown := range shutDowns {
		t.Run(name, func(t *testing.T) {
			same(t, config{}, func(t *testing.T, q delayer) {
				q.AddAfter("waits", 50*ms)
				q.Add("due")
				shutDown(q)
				require.True(t, q.ShuttingDown())
				q.AddAfter("late", 50*ms)
				q.AddAfter("late", 0)
				q.Add("late")
				after(time.Minute)
				require.Equal(t, []string{"due"}, taken(q))
				_, shutdown := q.Get()
				require.True(t, shutdown)
			})
		})
	}
}

func TestShutDownLeavesNoItemOnTheWheel(t *testing.T) {
	for name, shutDown := range shutDowns {
		t.Run(name, func(t *testing.T) {
			q, tm := onWheel(t, config{})
			q.AddAfter("foo", time.Hour)
			shutDown(q)
			q.AddAfter("bar", time.Hour)
			require.Zero(t, tm.Pending())
			require.False(t, q.Forget("foo"))
		})
	}
}

func TestShutDownWithDrainWaitsForItemsInWork(t *testing.T) {
	for name, end := range map[string]func(q delayer){
		"until Done":     func(q delayer) { q.Done("foo") },
		"until ShutDown": func(q delayer) { q.ShutDown() }, // at a second SIGTERM
	} {
		t.Run(name, func(t *testing.T) {
			same(t, config{}, func(t *testing.T, q delayer) {
				q.AddAfter("foo", ms)
				_, _ = q.Get()
				drained := make(chan struct{})
				go func() { q.ShutDownWithDrain(); close(drained) }()
				after(time.Minute)
				require.False(t, timertest.IsClosed(drained))
				end(q)
				synctest.Wait()
				require.True(t, timertest.IsClosed(drained))
			})
		})
	}
}

// A meter is a provider of metrics, which have their sums by their names.
type meter struct {
	mu   sync.Mutex
	sums map[string]float64 // guarded by mu
}

type metric struct {
	meter *meter
	name  string
}

func (m metric) add(by float64) {
	m.meter.mu.Lock()
	defer m.meter.mu.Unlock()
	m.meter.sums[m.name] += by
}

func (m metric) Inc()              { m.add(1) }
func (m metric) Dec()              { m.add(-1) }
func (m metric) Set(float64)       {}
func (m metric) Observe(v float64) { m.add(v) }

func (m *meter) NewDepthMetric(n string) workqueue.GaugeMetric  { return metric{m, n + " depth"} }
func (m *meter) NewAddsMetric(n string) workqueue.CounterMetric { return metric{m, n + " adds"} }
func (m *meter) NewLatencyMetric(n string) workqueue.HistogramMetric {
	return metric{m, n + " latency"}
}
func (m *meter) NewWorkDurationMetric(n string) workqueue.HistogramMetric {
	return metric{m, n + " work"}
}
func (m *meter) NewRetriesMetric(n string) workqueue.CounterMetric { return metric{m, n + " retries"} }

func (m *meter) NewUnfinishedWorkSecondsMetric(n string) workqueue.SettableGaugeMetric {
	return metric{m, n + " unfinished"}
}

func (m *meter) NewLongestRunningProcessorSecondsMetric(n string) workqueue.SettableGaugeMetric {
	return metric{m, n + " longest"}
}

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

func TestRateLimitingQueueUsesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting, tm := onWheel(t, config{})
		limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](ms, time.Second)
		q := workqueue.NewTypedRateLimitingQueueWithConfig(limiter,
			workqueue.TypedRateLimitingQueueConfig[string]{DelayingQueue: waiting})
		delays := func() (d time.Duration) {
			start := time.Now()
			q.AddRateLimited("foo")
			require.Equal(t, 1, tm.Pending())
			_, _ = q.Get()
			q.Done("foo")
			return time.Since(start).Truncate(ms)
		}
		require.Equal(t, []time.Duration{ms, 2 * ms, 4 * ms}, []time.Duration{delays(), delays(), delays()})
		require.Equal(t, 3, q.NumRequeues("foo"))
		q.Forget("foo")
		require.Equal(t, ms, delays())
	})
}

func TestForgottenItemIsNotAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, tm := onWheel(t, config{})
		q.AddAfter("foo", 50*ms)
		q.AddAfter("bar", 60*ms)
		require.True(t, q.Forget("foo"))
		require.False(t, q.Forget("foo"))
		require.Equal(t, 1, tm.Pending())
		after(60 * ms)
		require.False(t, q.Forget("bar"), "it is due")
		require.Equal(t, []string{"bar"}, taken(q))
		q.AddAfter("foo", 50*ms) // as if it were new: there is no earlier time
		after(50 * ms)
		require.Equal(t, []string{"foo"}, taken(q))
	})
}

// The Executor holds the task back until the item has been forgotten, and waits again for another time.
func TestItemForgottenWhileItsTaskIsUnderWayIsNotAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var task func()
		held := hashedwheel.ExecutorFunc(func(f func()) { task = f })
		tm := hashedwheel.MustNew(hashedwheel.WithExecutor(held))
		defer tm.Stop()
		q := New(tm, config{})
		defer q.ShutDown()
		q.AddAfter("foo", ms)
		after(ms)
		synctest.Wait()
		require.NotNil(t, task)
		require.True(t, q.Forget("foo"))
		q.AddAfter("foo", time.Hour)
		task()
		require.Zero(t, q.Len())
		require.True(t, q.Forget("foo"), "the item that waits for an hour")
	})
}

func TestNoItemIsLostWhenTheTimerIsFullOrStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, tm := onWheel(t, config{}, hashedwheel.WithMaxPending(1))
		q.AddAfter("foo", 10*ms)
		q.AddAfter("bar", 20*ms)
		q.AddAfter("baz", 30*ms)
		require.True(t, q.Forget("baz"))
		after(30 * ms)
		require.Equal(t, []string{"foo", "bar"}, taken(q))
		tm.Stop()
		q.AddAfter("foo", 50*ms)
		q.AddAfter("foo", 40*ms)
		time.Sleep(40*ms - 1)
		require.Empty(t, taken(q))
		after(0)
		require.Equal(t, []string{"foo"}, taken(q))
		after(time.Hour)
		require.Empty(t, taken(q))
	})
}

// Random calls, 10 ms apart, for few items. Each is due 5 ms from a look at both queues.
func TestQueueAgreesWithClientGosInRandomCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		theirs := workqueue.NewTypedDelayingQueue[string]()
		defer theirs.ShutDown()
		ours, _ := onWheel(t, config{})
		total := 0
		for range 5000 {
			item, d := string(rune('a'+random.IntN(8))), 10*ms*time.Duration(random.IntN(12))
			if d > 0 {
				d -= 5 * ms
			}
			theirs.AddAfter(item, d)
			ours.AddAfter(item, d)
			expected, actual := taken(theirs), taken(ours)
			slices.Sort(expected) // two items that are due at one time are added in any order
			slices.Sort(actual)
			require.Equal(t, expected, actual, seed)
			total += len(actual)
			time.Sleep(10 * ms)
		}
		require.Greater(t, total, 1000)
	})
}

// Several goroutines add and forget while a worker takes: for the race detector. In the end no item is left.
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
				if random.IntN(4) == 0 {
					q.Forget(item)
				} else {
					q.AddAfter(item, time.Duration(random.IntN(3))*ms)
				}
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

// The metrics have the provider that controller-runtime has set for all queues, and the controller's name.
func TestControllerRequeuesOnTheWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		defer tm.Stop()
		retries := counter(t, "workqueue_retries_total")
		ctx, cancel := context.WithCancel(t.Context())
		start, runs := time.Now(), make(chan time.Duration, 10)
		c, err := controller.NewTypedUnmanaged("pods", controller.TypedOptions[string]{
			NewQueue:           NewQueue[string](tm),
			SkipNameValidation: new(true), // for -count
			Reconciler: reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
				runs <- time.Since(start).Truncate(time.Minute)
				return reconcile.Result{RequeueAfter: time.Hour}, nil
			}),
		})
		require.NoError(t, err)
		add := func(_ context.Context, q workqueue.TypedRateLimitingInterface[string]) error {
			q.Add("pod")
			return nil
		}
		require.NoError(t, c.Watch(source.TypedFunc[string](add)))
		ended := make(chan error)
		go func() { ended <- c.Start(ctx) }()
		require.Equal(t, []time.Duration{0, time.Hour, 2 * time.Hour}, []time.Duration{<-runs, <-runs, <-runs})
		synctest.Wait()
		require.Equal(t, 1, tm.Pending())
		require.Equal(t, retries+3, counter(t, "workqueue_retries_total"))
		cancel()
		require.NoError(t, <-ended)
		require.Zero(t, tm.Pending())
	})
}

// counter returns the value of a metric of the controller "pods".
func counter(t *testing.T, name string) float64 {
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && m.GetLabel()[0].GetValue() == "pods" {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}
