package report

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

// stood returns the line of one headline for some peers.
func stood(h headline, rows ...Row) string {
	r := Report{Rows: rows}
	for _, name := range distinct(rows, func(row Row) string { return row.Peer }) {
		r.Peers = append(r.Peers, Peer{Name: name})
	}
	return r.standing(h)
}

func wall(peer string, value float64, mark string) Row {
	return Row{"arm", "1k pending", peer, 1, "wall", loads.PerOp, value, mark}
}

func rate(peer string, value float64) Row {
	return Row{"rpc", "calls", peer, 1, "calls", loads.PerSecond, value, ""}
}

func TestStandingComparesWithTheBestThatDidItsWork(t *testing.T) {
	arm := headline{"arm, %s", "arm", 0, ours, named("wall"), ""}
	calls := headline{"calls", "rpc", 0, ours, named("calls"), ""}
	for _, c := range []struct {
		why, want string
		h         headline
		rows      []Row
	}{
		{"we are first", "| arm, 1k pending | 100 ns | peer 80.0 ns | 40.0 ns | 0.40 | 0.50 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 80, ""), wall(ours, 40, "")}},
		{"we are not: bold", "| **arm, 1k pending** | 100 ns | peer 20.0 ns | 40.0 ns | 0.40 | 2.00 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 20, ""), wall(ours, 40, "")}},
		{"early ones are left out", "| arm, 1k pending | 100 ns | std 100 ns | 40.0 ns | 0.40 | 0.40 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 20, "EARLY"), wall(ours, 40, "")}},
		{"our variants are no rivals", "| arm, 1k pending | 100 ns | std 100 ns | 40.0 ns | 0.40 | 0.40 |\n", arm,
			[]Row{wall("std", 100, ""), wall(ours+"-inline", 20, ""), wall(ours, 40, "")}},
		{"more calls are better", "| calls | 2.00M /s | peer 3.00M /s | 4.00M /s | 2.00 | 1.33 |\n", calls,
			[]Row{rate("std", 2e6), rate("peer", 3e6), rate(ours, 4e6)}},
		{"not measured", "", calls, []Row{wall("std", 100, "")}},
	} {
		if got := stood(c.h, c.rows...); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.why, got, c.want)
		}
	}
}

func TestStandingSaysWhatBecameOfARival(t *testing.T) {
	h := headline{"arm", "arm", 0, ours, named("wall"), "peer"}
	failed := Row{"arm", "1k pending", "peer", 1, Whole, "", math.NaN(), "hung"}
	want := "| arm | 100 ns | peer **hung** | 40.0 ns | 0.40 | – |\n"
	if got := stood(h, wall("std", 100, ""), failed, wall(ours, 40, "")); got != want {
		t.Error(got)
	}
}

// The README's table is that of the results beside it.
func TestREADMEHasTheStandingOfTheResults(t *testing.T) {
	f, err := os.Open("../results/compare.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadCSV(f)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	r := Report{Rows: rows}
	for _, name := range distinct(rows, func(row Row) string { return row.Peer }) {
		r.Peers = append(r.Peers, Peer{Name: name})
	}
	if table := r.Standing(); !strings.Contains(string(readme), table) {
		t.Errorf("README.md should have\n%s", table)
	}
}
