package workqueue

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// BenchmarkRequeue has 40,000 items, 20,000 of which are due each second: a worker takes each due item, and adds it
// again after one to three seconds. The queues have controller-runtime's metrics. The result is the CPU time of the
// whole process, as a percentage of one core.
//
//	go test -run '^$' -bench . -benchtime 200000x ./workqueue
func BenchmarkRequeue(b *testing.B) {
	type request = reconcile.Request
	type delayer = workqueue.TypedDelayingInterface[request]
	named := workqueue.TypedDelayingQueueConfig[request]{Name: "pods"}
	bench := func(name string, open func() (q delayer, close func())) {
		b.Run("queue="+name, func(b *testing.B) {
			q, end := open()
			defer end()
			const items = 40_000
			for i := range items {
				name := types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("pod-%07d", i)}
				q.AddAfter(request{NamespacedName: name}, rand.N(2*time.Second))
			}
			work := func(n int) {
				for range n {
					item, _ := q.Get()
					q.AddAfter(item, time.Second+rand.N(2*time.Second))
					q.Done(item)
				}
			}
			work(items) // now the load is even
			start, before := time.Now(), timertest.CPUTime()
			work(b.N)
			b.ReportMetric(0, "ns/op") // the load sets it
			b.ReportMetric(100*float64(timertest.CPUTime()-before)/float64(time.Since(start)), "%-of-a-core")
		})
	}
	bench("client-go", func() (delayer, func()) {
		q := workqueue.NewTypedDelayingQueueWithConfig(named)
		return q, q.ShutDown
	})
	bench("controller-runtime", func() (delayer, func()) {
		q := priorityqueue.New[request](named.Name)
		return q, q.ShutDown
	})
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond} {
		bench(fmt.Sprintf("wheel,tick=%v", tick), func() (delayer, func()) {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
			q := New(tm, named)
			return q, func() { q.ShutDown(); tm.Stop() }
		})
	}
}
