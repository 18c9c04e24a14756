package main

import (
	"strings"
	"testing"
	"time"
)

// brief is a soak of some seconds, which sees all that a long one does.
func brief(executor string) config {
	return config{
		duration:  3 * time.Second,
		span:      time.Second,
		tick:      time.Millisecond,
		producers: 2,
		pending:   5_000, // the race detector has room for 8,000 goroutines
		seed:      1,
		executor:  executor,
		patience:  time.Minute,
	}
}

func TestBooksBalance(t *testing.T) {
	for _, executor := range []string{"default", "inline", "waitgroup"} {
		t.Run(executor, func(t *testing.T) {
			s, err := newSoak(brief(executor))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			s.run(t.Context(), &out)
			s.table(&out)
			if !s.verdict(&out) {
				t.Error("the books do not balance")
			}
			t.Log("\n" + out.String())
			assertCovered(t, s)
		})
	}
}

// assertCovered fails the test if the soak has not seen all that it is there for.
func assertCovered(t *testing.T, s *soak) {
	t.Helper()
	plain, bounded, series := s.lanes[0], s.lanes[1], s.lanes[2]
	for o := range outcomes {
		for _, ln := range s.lanes {
			assertSeen(t, ln.name+": "+outcomeNames[o], ln.books.sum(o))
		}
	}
	for k := range fromEvery {
		assertSeen(t, "armings by "+kindNames[k], plain.books.pages[k].armings.Load())
	}
	assertSeen(t, "panics", plain.panics.Load())
	assertSeen(t, "calls of Goexit", plain.exits.Load())
	assertSeen(t, "slow tasks", plain.slow.Load())
	assertSeen(t, "runs of series", series.runsOfSeries.Load())
	assertSeen(t, "waits for After", series.waited.Load())
	assertSeen(t, "armings rejected as full", bounded.full.Load())
}

func assertSeen(t *testing.T, what string, n int64) {
	t.Helper()
	if n == 0 {
		t.Errorf("no %s", what)
	}
}

func TestLoadBalances(t *testing.T) {
	for _, executor := range []string{"default", "inline", "waitgroup"} {
		t.Run(executor, func(t *testing.T) {
			c := brief(executor)
			var out strings.Builder
			ok, err := runLoad(30_000, c, &out)
			t.Log("\n" + out.String())
			if err != nil || !ok {
				t.Errorf("balances: %t, error: %v", ok, err)
			}
		})
	}
}

func TestWrongFlagsAreNamed(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"-executor", "pool"}, "-executor pool"},
		{[]string{"-tick", "1us"}, "WithTick(1µs)"},
		{[]string{"-for", "0s"}, "-for"},
		{[]string{"-producers", "0"}, "-producers"},
		{[]string{"-load", "10", "-executor", "pool"}, "-executor pool"},
		{[]string{"-load", "10", "-tick", "1us"}, "WithTick(1µs)"},
	} {
		var out strings.Builder
		ok, err := runCommand(row.args, &out)
		if ok || err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: ok %t, error %v; want %q in it", row.args, ok, err, row.want)
		}
	}
}
