package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

// job is one round of a case for one peer: the work of a child process.
type job struct {
	Load, Case, Peer string
	Round            int
	Config           loads.Config
}

func (j job) row(f loads.Figure) report.Row {
	return report.Row{
		Load: j.Load, Case: j.Case, Peer: j.Peer, Round: j.Round,
		Figure: f.Name, Unit: f.Unit, Value: f.Value, Mark: f.Mark,
	}
}

// failed returns the row of a peer without figures.
func (j job) failed(mark string) report.Row {
	return j.row(loads.Figure{Name: report.Whole, Value: math.NaN(), Mark: mark})
}

// jobVariable has the job of a child, in its environment.
const jobVariable = "HASHEDWHEEL_COMPARE"

// rowPrefix marks rows, since peers may print lines also.
const rowPrefix = "row,"

// runChild does a job and prints its rows. If it succeeds it ends the process, since
// some peers cannot be stopped.
func runChild(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	l, ok := loads.Find(j.Load)
	if !ok {
		return fmt.Errorf("no load %q", j.Load)
	}
	k, ok := l.Find(j.Case, j.Config)
	if !ok {
		return fmt.Errorf("no case %q", j.Case)
	}
	found, unknown := peers.Choose(j.Peer)
	if unknown != "" {
		return fmt.Errorf("no peer %q", unknown)
	}
	machine.LimitMemory()
	figures, err := k.Run(found[0], j.Config)
	if err != nil {
		exit(j.failed(err.Error()))
	}
	var rows []report.Row
	for _, f := range figures {
		rows = append(rows, j.row(f))
	}
	exit(rows...)
	return nil
}

func exit(rows ...report.Row) {
	for _, r := range rows {
		fmt.Print(rowPrefix)
		w := csv.NewWriter(os.Stdout)
		_ = w.Write(r.Fields())
		w.Flush()
	}
	os.Exit(0)
}
