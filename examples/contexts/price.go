package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const limit = 30 * time.Second

// A way sets a time limit. Once sets it and cancels it.
type way struct {
	name string
	once func()
}

// ways returns the two contexts with a limit, under a parent.
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

// owned returns the cheapest way: a Timeout that its user keeps, and arms again and again.
func owned(tm *hashedwheel.Timer) (once func()) {
	to := new(hashedwheel.Timeout)
	to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	return func() {
		to.Reset(limit)
		to.Stop()
	}
}

// printPrices prints the time to set a limit and cancel it, by testing.Benchmark in one goroutine.
func printPrices(tm *hashedwheel.Timer, cfg config, w io.Writer) error {
	testing.Init()
	if err := flag.Set("test.benchtime", cfg.benchtime.String()); err != nil {
		return err
	}
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	background, cancellable := ways(context.Background(), tm), ways(parent, tm)
	all := []way{background[0], cancellable[0], background[1], cancellable[1], {"an owned Timeout", owned(tm)}}
	p := prices(all)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "\nset and canceled, each\tunder Background\tunder a parent that can be canceled")
	fmt.Fprintf(t, "%s\t%s\t%s\n", all[0].name, p[0], p[1])
	fmt.Fprintf(t, "%s\t%s\t%s\n", all[2].name, p[2], p[3])
	fmt.Fprintf(t, "%s\t%s\tno parent\n", all[4].name, p[4])
	t.Flush()
	fmt.Fprintf(w, `
The least of %d turns of %v, in one goroutine. withLimit saves nothing over context.WithTimeout.
If time matters, put a Timeout into your own struct, as in the last row.
`, turns, cfg.benchtime)
	return nil
}

// turns is how often each way is measured. The least counts, as other load only adds time.
const turns = 5

// prices measures the ways in turn, so that a busy moment affects all of them.
func prices(ways []way) []string {
	least := make([]testing.BenchmarkResult, len(ways))
	for turn := range turns {
		for i, w := range ways {
			r := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w.once()
				}
			})
			if turn == 0 || r.NsPerOp() < least[i].NsPerOp() {
				least[i] = r
			}
		}
	}
	all := make([]string, len(ways))
	for i, r := range least {
		all[i] = fmt.Sprintf("%d ns, %d allocations", r.NsPerOp(), r.AllocsPerOp())
	}
	return all
}
