package report

import (
	"math"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// leastBand is the narrowest band.
const leastBand = 1.02

// band returns the largest factor by which two identical configurations differ in a
// figure, over the rounds of a case. A smaller difference is noise.
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

// verdict describes a ratio.
type verdict string

const (
	better verdict = "better"
	even   verdict = "even"
	worse  verdict = "worse"
	noisy  verdict = "too noisy" // even, within a band wider than numbers.MostBand
	unsaid verdict = ""
)

// judge describes the ratio of one peer to another beyond a band.
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
	case band > numbers.MostBand:
		return noisy
	}
	return even
}
