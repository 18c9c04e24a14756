// Package numbers formats numbers for readers, and compares figures that were
// measured in rounds.
package numbers

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"
)

// Short formats a size: 1M.
func Short(n int) string {
	switch {
	case n >= 1e6 && n%1e6 == 0:
		return fmt.Sprintf("%dM", n/1e6)
	case n >= 1e3 && n%1e3 == 0:
		return fmt.Sprintf("%dk", n/1e3)
	}
	return strconv.Itoa(n)
}

// Grouped formats a number in full: 4,871.
func Grouped(n int) string { return humanize.Comma(int64(n)) }

// Number formats about three significant digits, without an exponent.
func Number(v float64) string {
	size := math.Abs(v)
	switch {
	case size >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 0.1 || size == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// Median returns the median of values, or NaN if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Ratio returns the median of the ratios of a to b within each round.
func Ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = 1 // of zeros
		if a[i] != b[i] {
			ratios[i] = a[i] / b[i]
		}
	}
	return Median(ratios)
}

// Band returns the largest factor by which two identical configurations
// differed in a round. A smaller difference is noise.
func Band(a, again []float64) float64 {
	widest := 1.0
	for i := range a {
		if a[i] != again[i] {
			widest = max(widest, a[i]/again[i], again[i]/a[i])
		}
	}
	return widest
}

// MostBand is the widest band within which two figures are called even.
const MostBand = 1.5

// Verdict describes a ratio: "less" or "more" only beyond the band.
func Verdict(ratio, band float64) string {
	switch {
	case band > MostBand:
		return "too noisy"
	case ratio > band:
		return "more"
	case ratio < 1/band:
		return "less"
	}
	return "even"
}
