package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const limit = 30 * time.Second

// A way to limit the time of something: do it once, and cancel it.
type way struct {
	name string
	once func()
}

// ways are the contexts that end in time, under a parent.
func ways(parent context.Context, tm *hashedwheel.Timer) []way {
	return []way{
		{"context.WithTimeout", func() {
			_, cancel := context.WithTimeout(parent, limit)
			cancel()
		}},
		{"withLimit", func() {
			_, cancel := withLimit(parent, tm, limit)
			cancel()
		}},
	}
}

// owned is the cheapest way: a Timeout that its user keeps, and arms again and again.
func owned(tm *hashedwheel.Timer) (once func()) {
	to := new(hashedwheel.Timeout)
	to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	return func() {
		to.Reset(limit)
		to.Stop()
	}
}

// printPrices prints how long it takes to make a limit and cancel it, one after
// another, cfg.contexts times.
func printPrices(tm *hashedwheel.Timer, cfg config, w io.Writer) {
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	background, cancellable := ways(context.Background(), tm), ways(parent, tm)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "\nmade and cancelled, each\tunder Background\tunder a parent that can be cancelled")
	for i, b := range background {
		fmt.Fprintf(t, "%s\t%v\t%v\n", b.name, each(cfg.contexts, b.once), each(cfg.contexts, cancellable[i].once))
	}
	fmt.Fprintf(t, "an owned Timeout\t%v\tit has no parent\n", each(cfg.contexts, owned(tm)))
}

// each returns how long f takes: the median of five turns, since a machine may be busy in one.
func each(n int, f func()) time.Duration {
	var turns [5]time.Duration
	n = max(1, n/len(turns))
	for i := range turns {
		start := time.Now()
		for range n {
			f()
		}
		turns[i] = time.Since(start) / time.Duration(n)
	}
	slices.Sort(turns[:])
	return turns[len(turns)/2]
}
