package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

// contestant is a peer as the comparison sees it: something to start a process
// with.
type contestant interface {
	describe() report.Peer
	// unfit returns why it has no part in a case, or "".
	unfit(l loads.Load, k loads.Case) string
	command(ctx context.Context, j job, k loads.Case) *exec.Cmd
}

// comparison is a run of the command.
type comparison struct {
	loads       []loads.Load
	contestants []contestant
	config      loads.Config
	rounds      int
	notes       []string

	rows  []report.Row
	hung  map[string]bool // cases and peers that are not tried again
	done  int
	start time.Time
}

// run does every job until ctx ends. A round is all of them: so one that is cut
// short still has whole rounds, and what drifts on the machine drifts for all.
func (c *comparison) run(ctx context.Context) {
	c.start = time.Now()
	for round := range c.rounds {
		for _, l := range c.loads {
			for _, k := range l.Cases(c.config) {
				for _, p := range c.contestants {
					if ctx.Err() != nil {
						return
					}
					c.turn(ctx, l, k, p, round+1)
				}
			}
		}
	}
	fmt.Fprintf(os.Stderr, "\r%-110s\n", fmt.Sprintf("done in %s", time.Since(c.start).Round(time.Second)))
}

// turn is one round of a case for one peer.
func (c *comparison) turn(ctx context.Context, l loads.Load, k loads.Case, p contestant, round int) {
	c.done++
	j := job{l.Name, k.Name, p.describe().Name, round, c.config}
	key := fmt.Sprint(j.Load, j.Case, j.Peer)
	if mark := p.unfit(l, k); mark != "" {
		if round == 1 {
			c.rows = append(c.rows, j.failed(mark))
		}
		return
	}
	if c.hung[key] {
		return
	}
	c.progress(j)
	limit, cancel := context.WithTimeout(ctx, c.config.Limit)
	defer cancel()
	rows, err := collect(p.command(limit, j, k))
	switch {
	case ctx.Err() != nil:
		return
	case limit.Err() != nil:
		c.hung[key] = true
		rows = []report.Row{j.failed("not done in " + c.config.Limit.String())}
	case err != nil:
		rows = []report.Row{j.failed(err.Error())}
	}
	c.rows = append(c.rows, rows...)
}

// progress shows where the comparison is, and how long it may still take.
func (c *comparison) progress(j job) {
	all := 0
	for _, l := range c.loads {
		all += len(l.Cases(c.config)) * c.rounds * len(c.contestants)
	}
	left := ""
	if c.done > all/20 {
		left = fmt.Sprintf(", %s to go", (time.Since(c.start) * time.Duration(all-c.done) / time.Duration(c.done)).Round(time.Second))
	}
	line := fmt.Sprintf("%4d/%d %s, %s, round %d: %s%s", c.done, all, j.Load, j.Case, j.Round, j.Peer, left)
	fmt.Fprintf(os.Stderr, "\r%-110s", line)
}

// collect runs a child and returns the rows that it prints.
func collect(cmd *exec.Cmd) (rows []report.Row, err error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("crashed: %s", cause(stderr.String(), err))
	}
	for line := range strings.Lines(stdout.String()) {
		line, ok := strings.CutPrefix(line, rowPrefix)
		if !ok {
			continue
		}
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
	if len(rows) == 0 {
		return nil, errors.New("crashed: no figures")
	}
	return rows, nil
}

// cause finds the line that says why a process ended.
func cause(stderr string, err error) string {
	for line := range strings.Lines(stderr) {
		for _, sign := range []string{"panic: ", "fatal error: ", "Exception in thread"} {
			if strings.HasPrefix(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return err.Error()
}

// goPeer is a peer in this program, which starts itself as the child.
type goPeer struct{ peers.Peer }

func (p goPeer) describe() report.Peer {
	d := report.Peer{Name: p.Name, Label: p.Name, What: p.What, Version: versionOf(p.Module), Cannot: p.Cannot}
	tick := p.Tick(10 * time.Millisecond)
	if (tick != 10*time.Millisecond || p.Fixed) && !strings.HasSuffix(p.Name, tick.String()) {
		d.Label = fmt.Sprintf("%s, %s tick", p.Name, tick)
	}
	return d
}

func (p goPeer) unfit(l loads.Load, k loads.Case) string { return loads.Unfit(l, k, p.Peer) }

func (p goPeer) command(ctx context.Context, j job, _ loads.Case) *exec.Cmd {
	arg, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exec.CommandContext(ctx, self, "-child", string(arg))
}
