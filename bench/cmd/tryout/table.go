package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var benchmarkLine = regexp.MustCompile(`(?m)^(Benchmark\S+)\s+\d+\s+(\d.*)$`)

// benchmarks reads the results of benchmarks. Of several runs of a benchmark it returns the median.
func benchmarks(output string) (f figures, order []string) {
	values := map[string][]float64{}
	for _, m := range benchmarkLine.FindAllStringSubmatch(output, -1) {
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				break
			}
			name := m[1] + ", " + fields[i+1]
			if values[name] == nil {
				order = append(order, name)
			}
			values[name] = append(values[name], v)
		}
	}
	f = figures{}
	for name, v := range values {
		f[name] = numbers.Median(v)
	}
	return f, order
}

// table holds the figures of all rounds: package time, the wheel, package time again.
type table struct {
	order  []string
	rounds [][3]figures
}

func (t *table) names(order []string) {
	for _, name := range order {
		if !slices.Contains(t.order, name) {
			t.order = append(t.order, name)
		}
	}
}

// row is a line of the table: medians over the rounds.
type row struct {
	before, after float64
	ratio         float64 // of the wheel to package time, within a round
	band          float64 // see numbers.Band
}

func (t *table) row(name string) (r row, ok bool) {
	var before, after, again []float64
	for _, round := range t.rounds {
		a, okA := round[0][name]
		b, okB := round[1][name]
		c, okC := round[2][name]
		if !okA || !okB || !okC {
			return r, false
		}
		before, after, again = append(before, a), append(after, b), append(again, c)
	}
	both := slices.Concat(before, again)
	return row{numbers.Median(both), numbers.Median(after), numbers.Ratio(slices.Concat(after, after), both), numbers.Band(before, again)}, true
}

func (r row) verdict() string {
	switch v := numbers.Verdict(r.ratio, max(r.band, 1.01)); v {
	case "less", "more":
		return v + " with the wheel"
	default:
		return v
	}
}

func (t *table) print(w io.Writer, tick time.Duration) {
	fmt.Fprintf(w, "Medians, rounds: %d, tick %v. Differences are taken within each round; noise is the largest between two runs with package time.\n\n", len(t.rounds), tick)
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(tw, "\tpackage time\twheel\tdifference\tnoise\t")
	for _, name := range t.order {
		if r, ok := t.row(name); ok {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%+.1f%%\t±%.1f%%\t%s\n", name, numbers.Number(r.before), numbers.Number(r.after), 100*(r.ratio-1), 100*(r.band-1), r.verdict())
		}
	}
	_ = tw.Flush() // to the terminal
}
