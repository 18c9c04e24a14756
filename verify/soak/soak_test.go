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
			var unseen []string
			for range 5 { // a busy machine may be too slow for what is rare
				if unseen = runBriefly(t, executor); len(unseen) == 0 || t.Failed() {
					return
				}
			}
			t.Errorf("no %s", strings.Join(unseen, ", no "))
		})
	}
}

// runBriefly runs a soak, and returns what it has not seen.
func runBriefly(t *testing.T, executor string) (unseen []string) {
	t.Helper()
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
	return s.unseen()
}

// unseen returns what the soak is there for and has not seen.
func (s *soak) unseen() (list []string) {
	plain, bounded, series := s.lanes[0], s.lanes[1], s.lanes[2]
	see := func(what string, n int64) {
		if n == 0 {
			list = append(list, what)
		}
	}
	for o := range outcomes {
		for _, ln := range s.lanes {
			see(ln.name+": "+outcomeNames[o], ln.books.sum(o))
		}
	}
	for k := range fromEvery {
		see("armings by "+kindNames[k], plain.books.pages[k].armings.Load())
	}
	see("panics", plain.panics.Load())
	see("calls of Goexit", plain.exits.Load())
	see("slow tasks", plain.slow.Load())
	see("runs of series", series.runsOfSeries.Load())
	see("waits for After", series.waited.Load())
	see("armings rejected as full", bounded.full.Load())
	return list
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
