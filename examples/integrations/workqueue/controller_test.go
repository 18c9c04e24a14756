//go:build controller

package workqueue

// controller-runtime takes minutes to compile, so this file needs -tags controller, as BenchmarkRequeue says.

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

var _ = controller.TypedOptions[string]{NewQueue: NewQueue[string](nil)}

func BenchmarkRequeueOfController(b *testing.B) {
	benchmarkRequeue(b, priorityqueue.New[types.NamespacedName]("pods"))
}
