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
	arm := headline{text: "arm, %s", load: "arm", ours: ours, is: named("wall")}
	calls := headline{text: "calls", load: "rpc", ours: ours, is: named("calls")}
	heap := headline{text: "heap", load: "rpc", ours: ours, is: named("heap"), while: "calls"}
	heapOf := func(peer string, value float64) Row {
		return Row{"rpc", "calls", peer, 1, "heap", loads.MiB, value, ""}
	}
	cpus := headline{text: "arm", load: "arm", ours: ours, is: allCPUs}
	on := func(peer, figure string, value float64) Row {
		return Row{"arm", "0 pending", peer, 1, figure, loads.PerOp, value, ""}
	}
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
		{"a slow peer's heap does not count", "| heap | 90.0 MiB | std 90.0 MiB | 60.0 MiB | 0.67 | 0.67 |\n", heap,
			[]Row{rate("std", 2e6), heapOf("std", 90), rate("peer", 1e6), heapOf("peer", 30), rate(ours, 4e6), heapOf(ours, 60)}},
		{"Netty at another tick is no rival, nor is what nobody waits for",
			"| arm, 1k pending | 100 ns | netty-100ms 90.0 ns | 40.0 ns | 0.40 | 0.44 |\n", arm,
			[]Row{wall("std", 100, ""), wall("netty-1ms", 20, ""), wall("netty-100ms", 90, ""), wall("std-after", 10, ""), wall(ours, 40, "")}},
		{"the most goroutines", "| arm | 30.0 ns | std 30.0 ns | 10.0 ns | 0.33 | 0.33 |\n", cpus,
			[]Row{on("std", "1 goroutine", 100), on("std", "2 goroutines", 60), on("std", "4 goroutines", 30),
				on(ours, "1 goroutine", 50), on(ours, "2 goroutines", 30), on(ours, "4 goroutines", 10)}},
		{"one goroutine, if that is most", "| arm | 100 ns | std 100 ns | 50.0 ns | 0.50 | 0.50 |\n", cpus,
			[]Row{on("std", "1 goroutine", 100), on(ours, "1 goroutine", 50)}},
		{"not measured", "", calls, []Row{wall("std", 100, "")}},
	} {
		if got := stood(c.h, c.rows...); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.why, got, c.want)
		}
	}
}

func TestStandingSaysWhatBecameOfOurs(t *testing.T) {
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall")}
	failed := Row{"arm", "1k pending", ours, 1, Whole, "", math.NaN(), "lost 1 of 2"}
	want := "| **arm** | 100 ns | std 100 ns | **lost 1 of 2** | – | – |\n"
	if got := stood(h, wall("std", 100, ""), failed); got != want {
		t.Error(got)
	}
}

func TestStandingSaysWhatBecameOfARival(t *testing.T) {
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall"), rival: "peer"}
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
