package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

// behave is set in a child of a test.
const behave = "COMPARE_TEST_BEHAVE"

func TestMain(m *testing.M) {
	switch os.Getenv(behave) {
	case "":
		os.Exit(m.Run())
	case "hang":
		select {}
	case "panic":
		panic("out of order")
	case "silent":
		os.Exit(0)
	case "well":
		fmt.Println("something that a peer prints")
		exit(job{Load: "arm", Case: "here", Peer: "fake", Round: 1}.row(loads.Figure{Name: "wall", Unit: loads.PerOp, Value: 5}))
	}
}

// fake is a contestant that behaves in one way.
type fake string

func (f fake) describe() report.Peer               { return report.Peer{Name: "fake"} }
func (f fake) unfit(loads.Load, loads.Case) string { return "" }

func (f fake) command(ctx context.Context, _ job, _ loads.Case) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), behave+"="+string(f))
	if f == "hang" {
		cmd.Env = append(cmd.Env, "GOTRACEBACK=none")
	}
	return cmd
}

func TestFailureOfAPeerIsReported(t *testing.T) {
	for behaviour, want := range map[string]string{
		"hang":   "not done in 1s",
		"panic":  "crashed: panic: out of order",
		"silent": "crashed: no figures",
		"well":   "",
	} {
		t.Run(behaviour, func(t *testing.T) {
			limit := time.Minute
			if behaviour == "hang" {
				limit = time.Second
			}
			c := &comparison{rounds: 2, hung: map[string]bool{}, limit: limit, start: time.Now()}
			var rows []report.Row
			for round := range 2 {
				rows = append(rows, c.turn(t.Context(), task{job: job{Round: round + 1}, who: fake(behaviour)})...)
			}
			if r := rows[0]; r.Mark != want || (want == "") != (r.Value == 5) {
				t.Errorf("%+v", r)
			}
			if tries := len(rows); behaviour == "hang" && tries != 1 {
				t.Errorf("tried %d times, although it hangs", tries)
			}
		})
	}
}

func TestFaultOfHashedwheelFailsTheRun(t *testing.T) {
	for mark, fails := range map[string]bool{"": false, "not supported": false, "lost 1 of 2": true, "EARLY by 1 ms (1 of 2)": true} {
		c := &comparison{rows: []report.Row{{Peer: "heap", Mark: "lost 1 of 2"}, {Peer: "hashedwheel", Mark: mark}}}
		if err := c.faultOfOurs(); (err != nil) != fails {
			t.Errorf("%q: %v", mark, err)
		}
	}
}

func full(o options) options {
	o.scale = 1
	return o
}

func TestWrongNamesAreRefused(t *testing.T) {
	for _, o := range []options{{loads: "arm,nonesuch"}, {peers: "nonesuch"}, {cases: "nonesuch"}} {
		if _, err := newComparison(full(o)); err == nil || !strings.Contains(err.Error(), "nonesuch") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestMedianNeedsAnOddNumberOfRounds(t *testing.T) {
	for rounds, part := range map[int]string{2: "arm", 4: "", 1: ""} {
		if _, err := newComparison(full(options{rounds: rounds, loads: part})); err == nil {
			t.Errorf("%d rounds of %q are allowed", rounds, part)
		}
	}
	if c, err := newComparison(full(options{rounds: 5, peers: "std", cpus: "1,64"})); err != nil || c.rounds != 5 || c.config.CPUs[1] != 64 {
		t.Error(c, err)
	}
	if _, err := newComparison(full(options{peers: "std", cpus: "1,x"})); err == nil {
		t.Error("x is a number of processors")
	}
}

func TestTasksAreWholeRoundsOfTheChosenCases(t *testing.T) {
	c, err := newComparison(full(options{loads: "storm,late", cases: "^2 gor.*, owned, tick 1ms$|^unloaded", peers: "std,hashedwheel", rounds: 3}))
	if err != nil {
		t.Fatal(err)
	}
	tasks := c.tasks()
	if len(tasks) != 3*2*2 || tasks[0].Load != "storm" || tasks[3].Case != "unloaded" || tasks[3].Peer != "hashedwheel" || tasks[4].Round != 2 {
		t.Errorf("%+v", tasks)
	}
}
