package report

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

// stood returns the line of a headline.
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

func TestStandingComparesWithTheBestPeerWithoutFaults(t *testing.T) {
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
		{"we are best", "| arm, 1k pending | 100 ns | 40.0 ns | 0.40 | better | peer 0.50 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 80, ""), wall(ours, 40, "")}},
		{"we are not: bold", "| **arm, 1k pending** | 100 ns | 40.0 ns | 0.40 | better | peer 2.00 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 20, ""), wall(ours, 40, "")}},
		{"early ones are left out", "| arm, 1k pending | 100 ns | 40.0 ns | 0.40 | better | std 0.40 |\n", arm,
			[]Row{wall("std", 100, ""), wall("peer", 20, "EARLY"), wall(ours, 40, "")}},
		{"our variants and twins are no rivals", "| arm, 1k pending | 100 ns | 40.0 ns | 0.40 | better | std 0.40 |\n", arm,
			[]Row{wall("std", 100, ""), wall("std-again", 99, ""), wall(ours+"-inline", 20, ""), wall(ours, 40, "")}},
		{"more calls are better", "| calls | 2.00M /s | 4.00M /s | 2.00 | better | peer 1.33 |\n", calls,
			[]Row{rate("std", 2e6), rate("peer", 3e6), rate(ours, 4e6)}},
		{"a slow peer's heap does not count", "| heap | 90.0 MiB | 60.0 MiB | 0.67 | better | std 0.67 |\n", heap,
			[]Row{rate("std", 2e6), heapOf("std", 90), rate("peer", 1e6), heapOf("peer", 30), rate(ours, 4e6), heapOf(ours, 60)}},
		{"Netty at another tick is no rival",
			"| arm, 1k pending | 100 ns | 40.0 ns | 0.40 | better | netty-100ms 0.44 |\n", arm,
			[]Row{wall("std", 100, ""), wall("netty-1ms", 20, ""), wall("netty-100ms", 90, ""), wall(ours, 40, "")}},
		{"the most goroutines", "| arm | 30.0 ns | 10.0 ns | 0.33 | better | std 0.33 |\n", cpus,
			[]Row{on("std", "1 goroutine", 100), on("std", "2 goroutines", 60), on("std", "4 goroutines", 30),
				on(ours, "1 goroutine", 50), on(ours, "2 goroutines", 30), on(ours, "4 goroutines", 10)}},
		{"not measured", "", calls, []Row{wall("std", 100, "")}},
	} {
		if got := stood(c.h, c.rows...); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.why, got, c.want)
		}
	}
}

func TestStandingJudgesByTheBand(t *testing.T) {
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall")}
	for _, c := range []struct {
		twin, ours float64
		want       string
	}{
		{110, 105, "| arm | 100 ns | 105 ns | 1.05 | even: ±10% | std 1.05 |\n"},
		{110, 95, "| arm | 100 ns | 95.0 ns | 0.95 | even: ±10% | std 0.95 |\n"},
		{110, 112, "| **arm** | 100 ns | 112 ns | 1.12 | worse | std 1.12 |\n"},
		{100, 105, "| **arm** | 100 ns | 105 ns | 1.05 | worse | std 1.05 |\n"},
		{100, 101, "| arm | 100 ns | 101 ns | 1.01 | even: ±2% | std 1.01 |\n"},
		{250, 101, "| arm | 100 ns | 101 ns | 1.01 | too noisy | std 1.01 |\n"},
		{250, 20, "| arm | 100 ns | 20.0 ns | 0.20 | better | std 0.20 |\n"},
	} {
		if got := stood(h, wall("std", 100, ""), wall("std-again", c.twin, ""), wall(ours, c.ours, "")); got != c.want {
			t.Errorf("%swant\n%s", got, c.want)
		}
	}
}

func TestFiguresAgreeWithTheirRatio(t *testing.T) {
	in := func(round int, peer string, value float64) Row {
		return Row{"arm", "1k pending", peer, round, "wall", loads.PerOp, value, ""}
	}
	rows := []Row{ // medians: 200 and 120, which would be 0.6
		in(1, "std", 100), in(1, ours, 50),
		in(2, "std", 200), in(2, ours, 140),
		in(3, "std", 400), in(3, ours, 120),
	}
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall")}
	if got, want := stood(h, rows...), "| arm | 100 ns | 50.0 ns | 0.50 | better | std 0.50 |\n"; got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}

// Compared with itself, package time has the same ratio in each round.
func TestBaseShowsItsMedian(t *testing.T) {
	var rows []Row
	for i, value := range []float64{100, 300, 200} {
		rows = append(rows, Row{"arm", "1k pending", base, i + 1, "wall", loads.PerOp, value, ""})
	}
	if c := summarize(rows, base, "wall"); c.value != 200 {
		t.Errorf("%v, want the median 200", c.value)
	}
}

func TestStandingShowsOurFault(t *testing.T) {
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall")}
	failed := Row{"arm", "1k pending", ours, 1, Whole, "", math.NaN(), "lost 1 of 2"}
	want := "| **arm** | 100 ns | **lost 1 of 2** | – |  | std – |\n"
	if got := stood(h, wall("std", 100, ""), failed); got != want {
		t.Error(got)
	}
}

func TestStandingShowsFaultOfARival(t *testing.T) {
	h := headline{text: "arm", load: "arm", ours: ours, is: named("wall"), rival: "peer"}
	failed := Row{"arm", "1k pending", "peer", 1, Whole, "", math.NaN(), "hung"}
	want := "| arm | **hung** | 40.0 ns | – |  |\n"
	if got := stood(h, wall("std", 100, ""), failed, wall(ours, 40, "")); got != want {
		t.Error(got)
	}
}

func TestREADMEHasFiveRowsWithTheirSizes(t *testing.T) {
	row := func(name, peer string, value float64) Row {
		return Row{"arm", name, peer, 1, "2 goroutines", loads.PerOp, value, ""}
	}
	r := &Report{Rows: []Row{row("1M pending", "std", 130), row("1M pending", ours, 65)}}
	table := r.README()
	if lines := strings.Count(table, "\n"); lines != 2+5 {
		t.Errorf("%d lines:\n%s", lines, table)
	}
	if want := "| Arm a new timeout and stop it, a million pending | 130 ns | 65.0 ns | 2.0 times better |\n"; !strings.Contains(table, want) {
		t.Errorf("no %sin\n%s", want, table)
	}
	if want := "| How late a timeout runs at a tick of 1 ms, median | – | – | not measured |\n"; !strings.Contains(table, want) {
		t.Errorf("no %sin\n%s", want, table)
	}
	if text := r.Terminal(); !strings.Contains(text, "a million pending   ") || strings.Contains(text, "|") {
		t.Errorf("on a terminal:\n%s", text)
	}
	r = &Report{Rows: []Row{row("100k pending", "std", 130), row("100k pending", "std-again", 300), row("100k pending", ours, 120)}}
	if want := "| Arm a new timeout and stop it, 100k pending | 130 ns | 120 ns | too noisy |\n"; !strings.Contains(r.README(), want) {
		t.Errorf("no %sin\n%s", want, r.README())
	}
}

func TestAmountsAreInTheUnitThatFits(t *testing.T) {
	for want, got := range map[string]string{
		"1.88 s": amount(cell{value: 1884}, loads.Millis), "1.88 ms": amount(cell{value: 1884}, loads.Micros), "5.00 ns": amount(cell{value: 5}, loads.PerOp),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTableIsPutBetweenItsMarks(t *testing.T) {
	text := "before\n" + TableBegins + "old\n" + TableEnds + "after\n"
	got, ok := PutTable(text, "new\n")
	if want := "before\n" + TableBegins + "\nnew\n\n" + TableEnds + "after\n"; got != want || !ok {
		t.Errorf("%v %q", ok, got)
	}
	if _, ok := PutTable("none", "new"); ok {
		t.Error("found marks where there are none")
	}
}

func TestREADMEHasTheTableOfTheResults(t *testing.T) {
	_, rows, err := ReadRows("../results/compare.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, ok := PutTable(string(text), (&Report{Rows: rows}).README())
	if !ok {
		t.Skip("README.md has no marks for the table")
	}
	if want != string(text) {
		t.Error("README.md has another table: go run ./cmd/compare -again -readme ../README.md")
	}
}
