package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

// cell is one figure of one peer over all rounds.
type cell struct {
	value float64 // median; NaN if there is none
	ratio float64 // median of the ratios to the standard library in the same round, or NaN
	mark  string
}

// base is the peer that the others are compared with.
const base = "std"

// compared tells for which units the ratio to the standard library says something.
func compared(unit string) bool {
	switch unit {
	case loads.PerOp, loads.Each, loads.PerSecond, loads.Bytes, loads.MiB:
		return true
	}
	return false
}

// of returns the rows of one peer and figure.
func of(rows []Row, peer, figure string) (found []Row) {
	for _, r := range rows {
		if r.Peer == peer && r.Figure == figure {
			found = append(found, r)
		}
	}
	return found
}

// summarize returns a figure of a peer, from the rows of one case.
func summarize(rows []Row, peer, figure string) cell {
	var values []float64
	marks := []string{}
	mine := of(rows, peer, figure)
	for _, r := range mine {
		if r.Mark != "" {
			marks = append(marks, r.Mark)
		}
		if !math.IsNaN(r.Value) {
			values = append(values, r.Value)
		}
	}
	c := cell{Median(values), math.NaN(), markOf(marks, roundsOf(rows, peer))}
	if figure == Whole || len(values) < len(mine) {
		c.value = math.NaN() // a figure has to be earned in every round
	} else if len(mine) > 0 && compared(mine[0].Unit) {
		if r := middle(rows, peer, base, figure); !math.IsNaN(r.ratio) {
			c.value, c.ratio = r.value, r.ratio
		}
	}
	return c
}

// round is what a peer and another did side by side.
type round struct{ value, other, ratio float64 }

// middle returns the round whose ratio of a peer to another is the median, so that
// the figures agree with it, and of equal ratios that of the median figure (so base
// beside itself); NaN if there is none.
func middle(rows []Row, peer, other, figure string) round {
	var rounds []round
	others := of(rows, other, figure)
	for _, r := range of(rows, peer, figure) {
		i := slices.IndexFunc(others, func(o Row) bool { return o.Round == r.Round })
		if i >= 0 && others[i].Value > 0 && !math.IsNaN(r.Value) {
			rounds = append(rounds, round{r.Value, others[i].Value, r.Value / others[i].Value})
		}
	}
	if len(rounds) == 0 {
		return round{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.SortFunc(rounds, func(a, b round) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.value, b.value))
	})
	return rounds[(len(rounds)-1)/2]
}

// ratio returns the median of a peer's ratios to another in the same round, or NaN.
func ratio(rows []Row, peer, other, figure string) float64 {
	return middle(rows, peer, other, figure).ratio
}

// markOf returns the mark of the first round that has one, and in how many that
// was if not in all.
func markOf(marks []string, rounds int) string {
	switch {
	case len(marks) == 0:
		return ""
	case len(marks) < rounds:
		return fmt.Sprintf("%s, in %d of %d rounds", marks[0], len(marks), rounds)
	}
	return marks[0]
}

// roundsOf returns how many rounds a peer has had, well or not.
func roundsOf(rows []Row, peer string) int {
	mine := where(rows, func(r Row) bool { return r.Peer == peer })
	return len(distinct(mine, func(r Row) int { return r.Round }))
}

// Median returns the middle of values, which it does not change, or NaN.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	upper := sorted[len(sorted)/2]
	return (stat.Quantile(0.5, stat.Empirical, sorted, nil) + upper) / 2
}

// distinct returns what key says of the rows, each once and in order.
func distinct[K comparable](rows []Row, key func(Row) K) (keys []K) {
	for _, r := range rows {
		if k := key(r); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func where(rows []Row, ok func(Row) bool) (found []Row) {
	for _, r := range rows {
		if ok(r) {
			found = append(found, r)
		}
	}
	return found
}
