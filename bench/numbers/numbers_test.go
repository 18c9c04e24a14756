package numbers

import (
	"math"
	"testing"
)

func TestSizesAreShortOrGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1k", 1500: "1500", 160_000: "160k", 10_000_000: "10M"} {
		if got := Short(n); got != want {
			t.Errorf("Short(%d) = %q, want %q", n, got, want)
		}
	}
	if got := Grouped(4871); got != "4,871" {
		t.Error(got)
	}
}

func TestNumberHasThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.0123: "0.012", 0.5: "0.50", 12.34: "12.3", 1234: "1234", 6_500_000: "6.50M", -2.48: "-2.48"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{9, 1}, 5},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
}

func TestVerdictNeedsMoreThanTheBand(t *testing.T) {
	std := []float64{1, 1, 1}
	for _, c := range []struct {
		values, again []float64
		want          string
	}{
		{[]float64{0.5, 0.5, 0.5}, []float64{1, 1.1, 1}, "less"},
		{[]float64{1.5, 1.5, 1.5}, []float64{1, 1.1, 1}, "more"},
		{[]float64{0.95, 0.95, 0.95}, []float64{1, 1.1, 1}, "even"},
		{[]float64{0.5, 0.5, 0.5}, []float64{1, 1.6, 1}, "too noisy"},
		{[]float64{0.5, 0.5, 0.5}, []float64{1, 0.6, 1}, "too noisy"},
	} {
		if got := Verdict(Ratio(c.values, std), Band(std, c.again)); got != c.want {
			t.Errorf("%v, with package time at %v: %s, want %s", c.values, c.again, got, c.want)
		}
	}
	zeros := []float64{0, 0}
	if Ratio(zeros, zeros) != 1 || Band(zeros, zeros) != 1 {
		t.Error("zeros differ")
	}
}
