package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/hashedwheel/hashedwheel/bench/child"
	"github.com/hashedwheel/hashedwheel/bench/loads"
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

// failed is the row of a peer that has no figures.
func (j job) failed(mark string) report.Row {
	return j.row(loads.Figure{Name: report.Whole, Value: math.NaN(), Mark: mark})
}

// rowPrefix sets rows apart from what peers print.
const rowPrefix = "row,"

// runChild does a job and prints its rows. It does not return if it succeeds:
// some peers would never let go of the process.
func runChild(arg string) error {
	var j job
	if err := json.Unmarshal([]byte(arg), &j); err != nil {
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
	child.LimitMemory()
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
