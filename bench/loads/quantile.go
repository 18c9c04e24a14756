package loads

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// quantiles are the parts of a distribution that figures are named after.
var quantiles = []struct {
	name string
	p    float64
}{
	{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1},
}

// percentiles returns the figures of a distribution.
func percentiles(prefix, unit string, values []float64) []Figure {
	all := tail(prefix, unit, values)
	return []Figure{all[0], all[2], all[3], all[5]}
}

// tail returns more of them, for one of which there are very many.
func tail(prefix, unit string, values []float64) (figures []Figure) {
	slices.Sort(values)
	for _, q := range quantiles {
		figures = append(figures, Figure{Name: prefix + q.name, Unit: unit, Value: stat.Quantile(q.p, stat.Empirical, values, nil)})
	}
	return figures
}

func quantile(p float64, values []float64) float64 {
	slices.Sort(values)
	return stat.Quantile(p, stat.Empirical, values, nil)
}
