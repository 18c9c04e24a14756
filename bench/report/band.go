package report

import (
	"math"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// leastBand is the band of a row whose identical configurations differ by less.
const leastBand = 1.02

// band returns by what factor two identical configurations differ in a figure, at
// most, over the rounds of a case: what lies within is no difference.
func band(rows []Row, figure string) float64 {
	most := math.Log(leastBand)
	for _, name := range []string{base, ours} {
		twins := of(rows, name+peers.Again, figure)
		for _, a := range of(rows, name, figure) {
			for _, b := range twins {
				if a.Round == b.Round && a.Value > 0 && b.Value > 0 {
					most = max(most, math.Abs(math.Log(a.Value/b.Value)))
				}
			}
		}
	}
	return math.Exp(most)
}

// verdict is what a ratio says.
type verdict string

const (
	better verdict = "better"
	even   verdict = "even"
	worse  verdict = "worse"
	unsaid verdict = ""
)

// judge tells what the ratio of one peer to another says beyond a band.
func judge(ratio, band float64, unit string) verdict {
	if unit == loads.PerSecond {
		ratio = 1 / ratio // more is better
	}
	switch {
	case math.IsNaN(ratio):
		return unsaid
	case ratio > band:
		return worse
	case ratio < 1/band:
		return better
	}
	return even
}
