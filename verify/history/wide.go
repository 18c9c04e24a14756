package main

import (
	"fmt"
	"io"
	"os"
)

// wide makes the library's windows wide: between a look and the CAS upon it,
// between that and the push, and wherever else another goroutine may come between,
// one now and then does. And producers help although there is no crowd. Nothing else
// changes, so all promises hold.
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
	{"word.go", "func (t *Timeout) cas(old, new word) bool {\n", "func (t *Timeout) cas(old, new word) bool {\n\twindow()\n"},
	{"timer.go", "\tif owed {\n", "\twindow()\n\tif owed {\n"},
	{"timeout.go", "t.timer.room.release(1)\n", "window()\n\t\t\tt.timer.room.release(1)\n"},
	{"timer.go", "if tm.parked.Load() != awake {", "window()\n\tif tm.parked.Load() != awake {"},
	{"mpsc_queue.go", "s := q.stripeOf(t)\n\tfor {\n", "s := q.stripeOf(t)\n\twindow()\n\tfor {\n"},
	{"mpsc_queue.go", "t.link = head\n", "t.link = head\n\t\twindow()\n"},
	{"timer.go", "r.reserved.CompareAndSwap(n, n+1) {\n", "r.reserved.CompareAndSwap(n, n+1) {\n\t\t\twindow()\n"},
	{"timer.go", "r.reserved.Add(-int64(n))\n", "window()\n\t\tr.reserved.Add(-int64(n))\n"},
	{"worker.go", "t := all[wk.turn]\n", "t := all[wk.turn]\n\t\twindow()\n"},
	{"executor.go", "r.count.Add(1)\n", "window()\n\tr.count.Add(1)\n\twindow()\n"},
	{"stop.go", "left, ended, more = tm.guarded.collect(left)\n", "window()\n\t\tleft, ended, more = tm.guarded.collect(left)\n\t\twindow()\n"},
	{"filing.go", "g.backlog, g.held = nil, nil\n", "g.backlog, g.held = nil, nil\n\twindow()\n"},
	{"worker.go", "wk.parked.Store(rest)\n", "wk.parked.Store(rest)\n\twindow()\n"},
	{"worker.go", "wk.out.Enter() // before the CAS", "window()\n\twk.out.Enter() // before the CAS"},
	// Every second Timeout counts, and makes its stripe deep: its producer helps.
	{"mpsc_queue.go", "sampleShift = 64 - 7", "sampleShift = 64 - 1"},
	{"mpsc_queue.go", "\tdeep = 4\n", "\tdeep = 1\n"},
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
