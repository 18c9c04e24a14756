package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
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

	atOnce int // jobs side by side: only where figures have no meaning

	start time.Time
	mu    sync.Mutex
	rows  []report.Row    // guarded by mu
	hung  map[string]bool // cases and peers that are not tried again; guarded by mu
	done  int             // guarded by mu
}

// run does every job until ctx ends. A round is all of them: so one that is cut
// short still has whole rounds, and what drifts on the machine drifts for all.
func (c *comparison) run(ctx context.Context) {
	c.start = time.Now()
	var running sync.WaitGroup
	room := make(chan struct{}, max(1, c.atOnce))
	for round := range c.rounds {
		for _, l := range c.loads {
			for _, k := range l.Cases(c.config) {
				for _, p := range c.contestants {
					room <- struct{}{}
					running.Go(func() {
						c.turn(ctx, l, k, p, round+1)
						<-room
					})
				}
			}
		}
	}
	running.Wait()
	c.sort()
	fmt.Fprintf(os.Stderr, "\r%-110s\n", fmt.Sprintf("done in %s", time.Since(c.start).Round(time.Second)))
}

// sort brings the rows of jobs that ran side by side into the order of the jobs.
func (c *comparison) sort() {
	load, peer := map[string]int{}, map[string]int{}
	for i, l := range c.loads {
		load[l.Name] = i
	}
	for i, p := range c.contestants {
		peer[p.describe().Name] = i
	}
	position := map[string]int{}
	for _, l := range c.loads {
		for i, k := range l.Cases(c.config) {
			position[l.Name+k.Name] = i
		}
	}
	slices.SortStableFunc(c.rows, func(a, b report.Row) int {
		return cmp.Or(a.Round-b.Round, load[a.Load]-load[b.Load],
			position[a.Load+a.Case]-position[b.Load+b.Case], peer[a.Peer]-peer[b.Peer])
	})
}

// turn is one round of a case for one peer.
func (c *comparison) turn(ctx context.Context, l loads.Load, k loads.Case, p contestant, round int) {
	if ctx.Err() != nil {
		return
	}
	j := job{l.Name, k.Name, p.describe().Name, round, c.config}
	key := fmt.Sprint(j.Load, j.Case, j.Peer)
	c.mu.Lock()
	c.done++
	mark, hung := p.unfit(l, k), c.hung[key]
	if mark != "" && round == 1 {
		c.rows = append(c.rows, j.failed(mark))
	}
	if mark == "" && !hung {
		c.progress(j)
	}
	c.mu.Unlock()
	if mark != "" || hung {
		return
	}
	limit, cancel := context.WithTimeout(ctx, c.config.Limit)
	defer cancel()
	rows, err := collect(p.command(limit, j, k))
	c.mu.Lock()
	defer c.mu.Unlock()
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

// progress shows where the comparison is, and how long it may still take. The
// caller holds mu.
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
	return child.Self(ctx, "-child", string(arg))
}
