package loads

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
)

// quantiles returns figures like p99.9 and max of values, which it sorts.
func quantiles(prefix, unit string, values []float64, names ...string) (figures []Figure) {
	slices.Sort(values)
	for _, name := range names {
		figures = append(figures, Figure{Name: prefix + name, Unit: unit, Value: quantile(name, values, nil)})
	}
	return figures
}

// quantile returns a quantile of sorted values, or NaN if there are no values.
func quantile(name string, sorted, weights []float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	if name == "max" {
		return sorted[len(sorted)-1]
	}
	percent, err := strconv.ParseFloat(name[1:], 64)
	if err != nil {
		panic(err)
	}
	return stat.Quantile(percent/100, stat.Empirical, sorted, weights)
}

// sample keeps an even selection of very many values in little memory.
type sample struct {
	values []float64
	seen   int
}

func newSample(n int) sample { return sample{values: make([]float64, 0, n)} }

func (s *sample) add(v float64) {
	s.seen++
	if len(s.values) < cap(s.values) {
		s.values = append(s.values, v)
	} else if i := rand.IntN(s.seen); i < len(s.values) {
		s.values[i] = v
	}
}
