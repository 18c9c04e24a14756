package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// cell is one figure of one peer over all rounds.
type cell struct {
	value  float64 // median; NaN if there is none
	spread float64 // half the distance between the least and the most, as a part of the median
	ratio  float64 // median of the ratios to package time within a round, or NaN
	mark   string
}

// base is the peer to which the others are compared.
const base = "std"

// compared reports whether ratios of figures of this unit have a meaning.
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
	c := cell{value: numbers.Median(values), ratio: math.NaN(), mark: markOf(marks, roundsOf(rows, peer))}
	if c.value > 0 {
		c.spread = (slices.Max(values) - slices.Min(values)) / 2 / c.value
	}
	if figure == Whole || len(values) < len(mine) {
		c.value = math.NaN() // a figure has to be earned in every round
	} else if len(mine) > 0 && compared(mine[0].Unit) {
		if r := middle(rows, peer, base, figure); !math.IsNaN(r.ratio) {
			c.value, c.ratio = r.value, r.ratio
		}
	}
	return c
}

// round has the figures of two peers in one round.
type round struct{ value, other, ratio float64 }

// middle returns the round in which the ratio of two peers is the median, so that the
// figures agree with the ratio. Among equal ratios, as of base to itself, it returns the
// median figure; NaN if there is no round.
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

// markOf returns the first mark, and the number of rounds with a mark if that is not
// all.
func markOf(marks []string, rounds int) string {
	switch {
	case len(marks) == 0:
		return ""
	case len(marks) < rounds:
		return fmt.Sprintf("%s, in %d of %d rounds", marks[0], len(marks), rounds)
	}
	return marks[0]
}

// roundsOf returns in how many rounds a peer was measured.
func roundsOf(rows []Row, peer string) int {
	mine := where(rows, func(r Row) bool { return r.Peer == peer })
	return len(distinct(mine, func(r Row) int { return r.Round }))
}

// distinct returns the different keys of the rows, in order.
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
