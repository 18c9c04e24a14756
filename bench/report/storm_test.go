package report

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The bars of the load storm, for the report's own machine: the heap grows by less than 64 MiB beyond what is
// pending, and the heartbeat's median is at most twice that of package time in its own storm, plus a tick.
// The stricter bar, twice the heartbeat of package time in the process of our storm, plus a tick, is logged.
func TestStormKeepsItsBars(t *testing.T) {
	_, rows, err := ReadRows("../results/compare.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	rounds := map[[3]string][]float64{} // case, peer, figure
	for _, r := range rows {
		if r.Load == "storm" {
			key := [3]string{r.Case, r.Peer, r.Figure}
			rounds[key] = append(rounds[key], r.Value)
		}
	}
	median := func(name, peer, figure string) float64 {
		values := rounds[[3]string{name, peer, figure}]
		if len(values) == 0 {
			t.Fatalf("%s: %s has no %s", name, peer, figure)
		}
		return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
	}
	cases, above := 0, 0
	for key, most := range rounds {
		name, peer, figure := key[0], key[1], key[2]
		if peer != "hashedwheel" || figure != "beyond pending" {
			continue
		}
		cases++
		if most := slices.Max(most); most >= 64 {
			t.Errorf("%s: the heap grew by %.3g MiB beyond what is pending", name, most)
		}
		tick := 10.0 // ms
		if strings.Contains(name, "tick 1ms") {
			tick = 1
		}
		plain, _, _ := strings.Cut(name, ", handicap") // package time has no handicap
		late, std := median(name, peer, "heartbeat late p50"), median(plain, "std", "heartbeat late p50")
		if late > 2*std+tick {
			t.Errorf("%s: heartbeat %.3g ms late, package time's %.3g", name, late, std)
		}
		if beside := median(name, peer, "beside late p50"); late > 2*beside+tick {
			above++
			t.Logf("%s: heartbeat %.3g ms late, package time's in the same process %.3g", name, late, beside)
		}
	}
	t.Logf("%d cases, %d above the stricter bar", cases, above)
	if cases == 0 {
		t.Error("no storm in the results")
	}
}
