package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test's program a child of itself, as crowds is of its own.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-child" {
		if err := runChild(os.Args[2]); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// tiny is so small that every case is over in a moment.
func tiny() config {
	c := small()
	c.Storm, c.Goroutines = 20*time.Millisecond, []int{2}
	c.Sessions = []plan{
		{1000, 20 * time.Millisecond, 100 * time.Millisecond, time.Millisecond, 512},
		{1000, 20 * time.Millisecond, 100 * time.Millisecond, time.Millisecond, 1},
	}
	c.Moved, c.MovedLead, c.Singles = 1000, 200*time.Millisecond, 20
	c.Hold, c.HoldFor, c.HoldLead = 1000, 20*time.Millisecond, 5*time.Millisecond
	c.Stop, c.Waiters, c.WaitLead, c.Quiet = []int{1000}, 100, 200*time.Millisecond, 2
	return c
}

// What the figures are has no meaning at this size, but that they are there.
func TestEveryLoadFillsItsTable(t *testing.T) {
	for _, l := range allLoads() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			r := &run{config: tiny(), rounds: 1, progress: io.Discard, peers: allPeers(), cases: regexp.MustCompile(""), rows: map[key][]outcome{}}
			r.measure(t.Context(), l)
			var table bytes.Buffer
			r.write(&table, l)
			for _, k := range l.cases(r.config) {
				checkRow(t, table.String(), k)
			}
			if err := r.faultOfOurs(); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkRow looks for a figure of each peer that has a part in the case.
func checkRow(t *testing.T, table string, k testCase) {
	_, rest, ok := strings.Cut(table, "| "+k.name+" |")
	if !ok {
		t.Fatalf("no row %q in\n%s", k.name, table)
	}
	row, _, _ := strings.Cut(rest, "\n")
	figure, nothing := regexp.MustCompile(`^[0-9]`), regexp.MustCompile(`^–$`)
	remark := regexp.MustCompile(`lost|EARLY|called off|too late|have run`)
	for cell := range strings.SplitSeq(strings.TrimSuffix(row, " |"), " | ") {
		of := strings.Split(strings.TrimSpace(cell), " / ")
		std := figure
		if k.oursOnly {
			std = nothing
		}
		if len(of) != 2 || !std.MatchString(of[0]) || !figure.MatchString(of[1]) || remark.MatchString(cell) {
			t.Errorf("%s: %q", k.name, cell)
		}
	}
}

func TestAStormThatGrowsTooLargeIsCalledOff(t *testing.T) {
	c := tiny()
	c.Storm, c.Guard = 5*time.Second, 1
	p, _ := findPeer("hashedwheel")
	start := time.Now()
	figures := stormCase(2, fresh, 0).run(p, c)
	if figures[0].Mark != "(called off)" || time.Since(start) > 2*time.Second {
		t.Errorf("%+v after %v", figures[0], time.Since(start))
	}
}

func TestAFailureIsInTheTableAndEndsTheCommandBadly(t *testing.T) {
	l := load{name: "quiet", cases: quiet.cases}
	c := tiny()
	c.Limit = time.Nanosecond
	r := &run{config: c, rounds: 1, progress: io.Discard, peers: allPeers(), cases: regexp.MustCompile("^rest after each$"), rows: map[key][]outcome{}}
	r.measure(t.Context(), l)
	var table bytes.Buffer
	r.write(&table, l)
	if want := "| rest after each | not done in 1ns / not done in 1ns |"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, &table)
	}
	if r.faultOfOurs() == nil {
		t.Error("no error")
	}
}

func TestWrongNamesAreRefused(t *testing.T) {
	for _, o := range []options{{loads: "storm,nonesuch", peers: "std"}, {peers: "nonesuch"}, {peers: "std", cases: "("}} {
		if _, err := newRun(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestTheCommandLineChangesSizes(t *testing.T) {
	c := options{n: 7, lead: time.Second, window: time.Minute, length: time.Hour}.config()
	if c.Storm != time.Hour || c.HoldFor != time.Hour || c.Moved != 7 || c.MovedLead != time.Second || c.Stop[0] != 7 {
		t.Errorf("%+v", c)
	}
	want := plan{7, time.Minute, time.Second, time.Millisecond, 512}
	if c.Sessions[0] != want || len(c.Sessions) != 4 { // three wheels, and one at a shorter tick
		t.Errorf("%+v", c.Sessions)
	}
}
