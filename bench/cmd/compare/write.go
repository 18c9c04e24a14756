package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

// dir returns the folder of the results.
func (o options) dir() string {
	switch {
	case o.out != "":
		return o.out
	case o.isPart():
		return filepath.Join("results", "partial")
	}
	return "results"
}

// rowsFile has every figure of every round.
const rowsFile = "compare.csv.gz"

// writeAgain takes the rows from the file of an earlier run.
func (c *comparison) writeAgain(o options) error {
	about, rows, err := report.ReadRows(filepath.Join(o.dir(), rowsFile))
	if err != nil {
		return err
	}
	c.rows = rows
	return c.write(o, about)
}

// write writes the tables, the rows and the plots.
func (c *comparison) write(o options, about []string) error {
	dir := o.dir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r := c.report(about)
	for _, p := range report.Plots() {
		if err := draw(dir, p, r); err != nil {
			return err
		}
	}
	if err := report.WriteRows(filepath.Join(dir, rowsFile), r.About, r.Rows); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "compare.md"), []byte(r.Markdown()), 0o644); err != nil {
		return err
	}
	if o.isPart() && !o.short {
		fmt.Print(r.Tables())
	} else if rows := r.Terminal(); rows != "" {
		fmt.Print("\n", rows, "\n")
	}
	fmt.Printf("%s; tables and plots are in %s\n", r.Count(), dir)
	if o.readme == "" {
		return nil
	}
	return putTable(o.readme, r.README())
}

// putTable writes a table into a file, between its marks.
func putTable(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	with, ok := report.PutTable(string(text), table)
	if !ok {
		return fmt.Errorf("%s has no lines %q and %q", file, report.TableBegins, report.TableEnds)
	}
	return os.WriteFile(file, []byte(with), 0o644)
}

func (c *comparison) report(about []string) *report.Report {
	r := &report.Report{About: about, Notes: c.notes, Rows: c.rows}
	for _, p := range c.contestants {
		r.Peers = append(r.Peers, p.describe())
	}
	for _, l := range c.loads {
		r.Loads = append(r.Loads, report.Load{Name: l.Name, What: l.What, Flat: l.Flat})
	}
	return r
}

// draw writes a plot for light and for dark pages, if it has lines.
func draw(dir string, p report.Plot, r *report.Report) error {
	note, isDrawn := "", false
	for name, dark := range map[string]bool{p.File: false, report.DarkFile(p.File): true} {
		var svg bytes.Buffer
		drawn, leftOut, err := p.Draw(&svg, r, dark)
		switch {
		case err != nil:
			return err
		case !drawn:
			_ = os.Remove(filepath.Join(dir, name)) // of an earlier run
			continue
		}
		note, isDrawn = leftOut, true
		if err := os.WriteFile(filepath.Join(dir, name), svg.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if isDrawn {
		r.Plots = append(r.Plots, report.Drawn{File: p.File, Title: p.Title, Note: note})
	}
	return nil
}

// about describes the run, so that it can be repeated.
func (c *comparison) about() []string {
	return []string{
		"date: " + c.start.UTC().Format(time.DateTime) + " UTC, in " + time.Since(c.start).Round(time.Second).String(),
		"commit: " + machine.Commit(),
		fmt.Sprintf("Go: %s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("CPU: %s, %d cores, GOMAXPROCS=%d (on a machine with more, the same command makes this report there: a pull request "+
			"with its compare.md and compare.csv.gz, in a folder of bench/results named after the machine, is welcome)",
			machine.CPU(), runtime.NumCPU(), runtime.GOMAXPROCS(0)),
		fmt.Sprintf("rounds: %d", c.rounds),
		"command: `" + strings.TrimSpace("go run ./cmd/compare "+strings.Join(os.Args[1:], " ")) + "`, in bench",
	}
}

// versionOf returns the version of a module in this program.
func versionOf(module string) string {
	info, ok := debug.ReadBuildInfo()
	if module == "" || !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return dep.Path + " " + dep.Version
		}
	}
	return module
}
