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

// dir returns where the results are.
func (o options) dir() string {
	switch {
	case o.out != "":
		return o.out
	case o.isPart():
		return filepath.Join("results", "partial")
	}
	return "results"
}

// writeAgain takes the rows and what is said about them from the CSV file that an
// earlier run has left.
func (c *comparison) writeAgain(o options) error {
	text, err := os.ReadFile(filepath.Join(o.dir(), "compare.csv"))
	if err != nil {
		return err
	}
	if c.rows, err = report.ReadCSV(bytes.NewReader(text)); err != nil {
		return err
	}
	return c.write(o, report.AboutCSV(string(text)))
}

// write leaves the tables, the CSV and the plots in the output directory.
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
	err := create(filepath.Join(dir, "compare.csv"), func(f *os.File) error {
		return report.WriteCSV(f, r.About, r.Rows)
	})
	if err != nil {
		return err
	}
	err = create(filepath.Join(dir, "compare.md"), func(f *os.File) error { return r.Markdown(f) })
	fmt.Fprintln(os.Stderr, "written to", dir)
	if err != nil || o.readme == "" {
		return err
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
		r.Loads = append(r.Loads, report.Load{Name: l.Name, What: l.What})
	}
	return r
}

// draw writes a plot, or nothing if there is nothing to be seen on it.
func draw(dir string, p report.Plot, r *report.Report) error {
	name := filepath.Join(dir, p.File)
	drawn, note := false, ""
	err := create(name, func(f *os.File) (err error) {
		drawn, note, err = p.Draw(f, r)
		return err
	})
	if !drawn {
		return os.Remove(name)
	}
	r.Plots = append(r.Plots, report.Drawn{File: p.File, Note: note})
	return err
}

func create(name string, write func(*os.File) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// about says what it takes to get the same figures again.
func (c *comparison) about() []string {
	return []string{
		"date: " + c.start.UTC().Format(time.DateTime) + " UTC, in " + time.Since(c.start).Round(time.Second).String(),
		"commit: " + machine.Commit(),
		fmt.Sprintf("Go: %s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("CPU: %s, %d cores, GOMAXPROCS=%d (on a machine with more, the same command makes this report there: a pull request "+
			"with its compare.md and compare.csv, in a folder of bench/results named after the machine, is welcome)",
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
