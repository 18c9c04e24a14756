package main

import (
	"fmt"
	"io"
	"os"
)

// wide makes the library's windows wide: between a look and the CAS upon it,
// between that and the push, and wherever else another goroutine may come between,
// one now and then does. Nothing else changes, so all promises hold.
//
// A call takes some tens of nanoseconds. This is what makes calls meet in their
// middle as a matter of course, on one processor too.
var wide = []edit{
	{"word.go", "import \"unsafe\"\n", `import (
	"math/rand/v2"
	"runtime"
	"unsafe"
)

// window is where another goroutine may come between.
func window() {
	switch n := rand.Uint32(); n % 8 {
	case 0, 1:
		runtime.Gosched()
	case 2:
		for range n >> 20 { // up to some microseconds
		}
	}
}
`},
	{"word.go", "func (to *Timeout) cas(old, new word) bool {\n", "func (to *Timeout) cas(old, new word) bool {\n\twindow()\n"},
	{"timer.go", "if t.parked.Load() != awake {", "window()\n\tif t.parked.Load() != awake {"},
	{"mpsc_queue.go", "address := uintptr(", "window()\n\taddress := uintptr("},
	{"timer.go", "t.reserved.CompareAndSwap(n, n+1) {\n", "t.reserved.CompareAndSwap(n, n+1) {\n\t\t\twindow()\n"},
	{"timer.go", "t.reserved.Add(-1)\n", "window()\n\t\tt.reserved.Add(-1)\n"},
	{"mpsc_queue.go", "to.link = head\n", "to.link = head\n\t\twindow()\n"},
	{"batch.go", "to := b.at(b.turn)\n", "to := b.at(b.turn)\n\t\twindow()\n"},
	{"batch.go", "t.expired.Add(1)\n", "t.expired.Add(1)\n\t\twindow()\n"},
	{"stop.go", "left = t.collect()\n", "window()\n\tleft = t.collect()\n\twindow()\n"},
	{"stop.go", "t.queue.close(unqueue)\n", "t.queue.close(unqueue)\n\twindow()\n"},
	{"stop.go", "t.wheel.clear(settle)\n", "window()\n\tt.wheel.clear(settle)\n\twindow()\n"},
	{"worker.go", "t.parked.Store(rest)\n", "t.parked.Store(rest)\n\twindow()\n"},
	{"worker.go", "t.running.Add(1) // before the CAS", "window()\n\tt.running.Add(1) // before the CAS"},
}

// runWide builds this program with wide windows and runs it instead.
func runWide(w io.Writer, args ...string) (exitCode int) {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		fmt.Fprintln(w, err)
		return 2
	}
	defer os.RemoveAll(dir)
	program, err := build(dir, wide...)
	if err == nil {
		exitCode, err = runProgram(w, program, args...)
	}
	if err != nil {
		fmt.Fprintln(w, err)
		return 2
	}
	return exitCode
}
