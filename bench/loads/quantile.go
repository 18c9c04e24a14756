package loads

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// percentiles returns the figures of a distribution.
func percentiles(prefix, unit string, values []float64) []Figure {
	slices.Sort(values)
	at := func(name string, p float64) Figure {
		return Figure{Name: prefix + name, Unit: unit, Value: stat.Quantile(p, stat.Empirical, values, nil)}
	}
	return []Figure{at("p50", 0.5), at("p99", 0.99), at("p99.9", 0.999), at("max", 1)}
}

func quantile(p float64, values []float64) float64 {
	slices.Sort(values)
	return stat.Quantile(p, stat.Empirical, values, nil)
}
