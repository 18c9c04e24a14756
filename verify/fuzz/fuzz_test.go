// Package fuzz plays scripts of calls, made of random bytes or by the fuzzer, to a timer and to a simple model of it,
// and compares all results.
package fuzz

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// FuzzTimer lets bytes decide which calls are made, in which order, from outside and from inside tasks, executors and
// handlers; with which tick, wheel and limits; on which clock; with which executor, and how it treats a task; for how
// long a task blocks the worker; and how tasks end. It compares every result with the model.
//
// Each file of its corpus is roughly the shortest script that shows the mistake in the file's name: with that mistake
// in the library, the script fails.
func FuzzTimer(f *testing.F) {
	for seed := range 4 {
		forEachKind(func(c clockKind, e executorKind) { f.Add(randomInput(uint64(seed), c, e)) })
	}
	f.Fuzz(func(t *testing.T, in []byte) { play(t, in) })
}

// play runs a script and reports whether the timer matched the model.
func play(t *testing.T, in []byte) bool {
	s := newScript(in[:min(len(in), 8<<10)]) // longer scripts are slower, not better
	defer watch(in).Stop()
	if s.inBubble() {
		synctest.Test(t, func(*testing.T) { s.run() })
	} else {
		s.run()
	}
	if s.failure == "" {
		return true
	}
	t.Logf("clock %d, executor %d, tick %d, turn %d, limit %d",
		s.clock, s.executor, s.model.tick, s.turn, s.model.limit)
	for _, e := range s.trace {
		t.Logf("%s #%d %d", e.what, e.id, e.n)
	}
	t.Errorf("%s\ninput: %q", s.failure, in)
	return false
}

// watch ends the process, and prints the script, if the script takes a thousand times as long as others: a worker that
// spins stops a bubble's time, and so everything that waits.
func watch(in []byte) *time.Timer {
	return time.AfterFunc(30*time.Second, func() {
		panic(fmt.Sprintf("a script has not ended for 30s of real time; input: %q", in))
	})
}

// event is a line of the trace. The order within a tick depends on the heap's addresses, so a second run may differ:
// the trace is of the first.
type event struct {
	what string
	id   int
	n    int64
}

func (s *script) log(what string, id int, n int64) {
	if s.failure != "" {
		return
	}
	s.trace = append(s.trace, event{what, id, n})
}

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
