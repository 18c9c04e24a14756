// 40,000 items a second are put back with a delay of up to two seconds, and taken by four workers.
package workqueue_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

type item struct {
	n   int
	due time.Time
}

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "workqueue", func(r *load.Run) {
		queue := workqueue.NewTypedDelayingQueue[*item]()
		back := func(it *item) {
			d := rand.N(2 * time.Second)
			it.due = time.Now().Add(d)
			queue.AddAfter(it, d)
		}
		for n := range load.Scale(40_000) {
			back(&item{n: n})
		}
		for range 4 {
			go func() {
				for {
					it, _ := queue.Get()
					r.Observe(time.Since(it.due))
					queue.Done(it)
					back(it)
				}
			}()
		}
	})
}
