package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

// contestant is a peer that runs in a separate process.
type contestant interface {
	describe() report.Peer
	// unfit returns why the peer takes no part in a case, or "".
	unfit(l loads.Load, k loads.Case) string
	command(ctx context.Context, j job, k loads.Case) *exec.Cmd
}

// comparison is a run of the command.
type comparison struct {
	loads       []loads.Load
	cases       *regexp.Regexp
	contestants []contestant
	config      loads.Config
	rounds      int
	limit       time.Duration // of one process
	notes       []string

	atOnce int // jobs side by side, where figures mean nothing; 0 for one

	start time.Time
	rows  []report.Row

	mu   sync.Mutex
	hung map[string]bool // cases and peers that hung once; guarded by mu
}

// caseLimit is the time after which a peer counts as hanging.
const caseLimit = 3 * time.Minute

// task is a job, and its peer.
type task struct {
	job
	load loads.Load
	kase loads.Case
	who  contestant
}

// tasks returns every job. A round is all cases, so an interrupted run still has whole
// rounds.
func (c *comparison) tasks() (all []task) {
	for round := range c.rounds {
		for _, l := range c.loads {
			for _, k := range c.chosen(l) {
				for _, p := range c.contestants {
					all = append(all, task{job{l.Name, k.Name, p.describe().Name, round + 1, c.config}, l, k, p})
				}
			}
		}
	}
	return all
}

// run does every job until ctx ends.
func (c *comparison) run(ctx context.Context) {
	defer os.RemoveAll(c.buildHandicap(ctx))
	c.start = time.Now()
	var running sync.WaitGroup
	room := make(chan struct{}, max(1, c.atOnce))
	tasks := c.tasks()
	rows := make([][]report.Row, len(tasks))
	for i, t := range tasks {
		room <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		t.progress(i, len(tasks), c.start)
		running.Go(func() {
			rows[i] = c.turn(ctx, t)
			<-room
		})
	}
	running.Wait()
	c.rows = slices.Concat(rows...)
	say("")
}

// buildHandicap builds this program with the tag handicap, if a case needs it, in a
// folder that the caller removes.
func (c *comparison) buildHandicap(ctx context.Context) (dir string) {
	needed := slices.ContainsFunc(c.loads, func(l loads.Load) bool {
		return slices.ContainsFunc(c.chosen(l), func(k loads.Case) bool { return k.Handicap > 0 })
	})
	if !needed {
		return ""
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		panic(err)
	}
	slow := filepath.Join(dir, "compare")
	const self = "github.com/hashedwheel/hashedwheel/bench/cmd/compare"
	if out, err := exec.CommandContext(ctx, "go", "build", "-tags", "handicap", "-o", slow, self).CombinedOutput(); err != nil {
		c.notes = append(c.notes, fmt.Sprintf("Not built with the tag handicap: %v %s", err, out))
	}
	for i, p := range c.contestants {
		if p, ok := p.(goPeer); ok {
			p.slow = slow
			c.contestants[i] = p
		}
	}
	return dir
}

// chosen returns the cases of a load that match -case.
func (c *comparison) chosen(l loads.Load) (cases []loads.Case) {
	for _, k := range l.Cases(c.config) {
		if c.cases.MatchString(k.Name) {
			cases = append(cases, k)
		}
	}
	return cases
}

// turn returns the rows of one job.
func (c *comparison) turn(ctx context.Context, t task) []report.Row {
	if mark := t.who.unfit(t.load, t.kase); mark != "" {
		if t.Round > 1 {
			return nil
		}
		return []report.Row{t.failed(mark)}
	}
	key := fmt.Sprint(t.Load, t.Case, t.Peer)
	c.mu.Lock()
	hung := c.hung[key]
	c.mu.Unlock()
	if hung {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	rows, err := collect(t.who.command(limit, t.job, t.kase))
	switch {
	case ctx.Err() != nil:
		return nil
	case limit.Err() != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hung[key] = true
		return []report.Row{t.failed("not done in " + c.limit.String())}
	case err != nil:
		return []report.Row{t.failed(err.Error())}
	}
	return rows
}

// progress shows the current job, and how long the comparison may still take.
func (t task) progress(done, all int, start time.Time) {
	left := ""
	if done > all/20 {
		left = fmt.Sprintf(", %s to go", (time.Since(start) * time.Duration(all-done) / time.Duration(done)).Round(time.Second))
	}
	say("%4d/%d %s, %s, round %d: %s%s", done+1, all, t.Load, t.Case, t.Round, t.Peer, left)
}

// say replaces the line of progress on a terminal.
func say(format string, args ...any) {
	if s, err := os.Stderr.Stat(); err == nil && s.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r%-110.110s\r", fmt.Sprintf(format, args...))
	}
}

// collect runs a child and returns its rows.
func collect(cmd *exec.Cmd) (rows []report.Row, err error) {
	lines, err := child.Lines(cmd, rowPrefix)
	for _, line := range lines {
		fields, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil {
			return nil, err
		}
		row, err := report.ParseRow(fields)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, err
}

// goPeer is a peer in this program: the child is another process of it.
type goPeer struct {
	peers.Peer
	slow string // this program with the tag handicap
}

func (p goPeer) describe() report.Peer {
	d := report.Peer{Name: p.Name, Label: p.Name, What: p.What, Version: versionOf(p.Module), Cannot: p.Cannot}
	tick := p.Tick(10 * time.Millisecond)
	if (tick != 10*time.Millisecond || p.Fixed) && !strings.HasSuffix(p.Name, tick.String()) {
		d.Label = fmt.Sprintf("%s, %s tick", p.Name, tick)
	}
	return d
}

func (p goPeer) unfit(l loads.Load, k loads.Case) string { return loads.Unfit(l, k, p.Peer) }

func (p goPeer) command(ctx context.Context, j job, k loads.Case) *exec.Cmd {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	cmd := child.Self(ctx)
	if k.Handicap > 0 {
		cmd = exec.CommandContext(ctx, p.slow)
	}
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text), "HASHEDWHEEL_HANDICAP="+k.Handicap.String())
	return cmd
}
