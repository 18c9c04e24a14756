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
)

// BenchmarkRequeue compares the delaying queues. With -tags controller, BenchmarkRequeueOfController has the same load,
// and all queues have controller-runtime's metrics.
//
//	go test -tags controller -run '^$' -bench . -benchtime 200000x ./workqueue
func BenchmarkRequeue(b *testing.B) {
	named := workqueue.TypedDelayingQueueConfig[types.NamespacedName]{Name: "pods"}
	b.Run("queue=client-go", func(b *testing.B) {
		benchmarkRequeue(b, workqueue.NewTypedDelayingQueueWithConfig(named))
	})
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond} {
		b.Run(fmt.Sprintf("queue=wheel,tick=%v", tick), func(b *testing.B) {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
			defer tm.StopAll()
			benchmarkRequeue(b, New(tm, named))
		})
	}
}

// benchmarkRequeue has 40,000 items, 20,000 of which are due each second: a worker takes each due item, and adds it
// again after one to three seconds. The result is the CPU time of the whole process, as a percentage of one core.
func benchmarkRequeue(b *testing.B, q workqueue.TypedDelayingInterface[types.NamespacedName]) {
	defer q.ShutDown()
	const items = 40_000
	for i := range items {
		item := types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("pod-%07d", i)}
		q.AddAfter(item, rand.N(2*time.Second))
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
}
