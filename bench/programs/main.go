// Programs measures other people's programs, as they are and ported to the wheel.
//
//	cd bench/programs && go run . >../results/programs.txt
//
// Each program is a benchmark in a folder of loads, and its port is a script in ports. The output is in the format of
// Go's benchmarks, for benchstat.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
)

func main() {
	var b bench
	only := flag.String("only", "", "measure programs whose name matches this `pattern`")
	// From six rounds on benchstat gives intervals.
	rounds := flag.Int("rounds", 6, "how many `times` each program runs with each kind of timer")
	flag.DurationVar(&b.measured, "for", 8*time.Second, "`duration` of each measurement")
	flag.DurationVar(&b.tick, "tick", 10*time.Millisecond, "`duration` of the wheel's tick")
	flag.BoolVar(&b.short, "short", false, "a tenth of the load, to see that everything runs; the figures mean nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.measure(ctx, *only, *rounds, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		stop()
		os.Exit(1)
	}
}

// kinds are the programs' timers. Each is a folder of test binaries.
var kinds = [2]string{"std", "hashedwheel"}

type bench struct {
	measured, tick time.Duration
	short          bool
	temp           string // has the binaries
}

// measure runs each program in a process of its own, in turn with each kind of timer.
func (b *bench) measure(ctx context.Context, only string, rounds int, w io.Writer) (err error) {
	names, err := programs(only)
	if err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "programs-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.temp) }() // the system removes the rest
	if err := build(b.temp, names); err != nil {
		return err
	}
	fmt.Fprintf(w, "toolchain: %s\ncommit: %s\n", runtime.Version(), commit())
	var described string
	for round := range rounds {
		for _, name := range names {
			for i := range kinds {
				kind := kinds[(i+round)%len(kinds)]
				fmt.Fprintf(os.Stderr, "round %d of %d: %s, %s\n", round+1, rounds, name, kind)
				machine, figures, err := b.run(ctx, name, kind)
				if err != nil {
					return err
				}
				if machine != described {
					described = machine
					figures = machine + figures
				}
				if _, err := io.WriteString(w, figures); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// run returns a benchmark's output: the lines on the machine, and the figures.
func (b *bench) run(ctx context.Context, name, kind string) (machine, figures string, err error) {
	args := []string{"-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-for=" + b.measured.String(),
		"-test.timeout=" + (b.measured + 2*time.Minute).String(), fmt.Sprintf("-test.short=%t", b.short)}
	cmd := exec.CommandContext(ctx, filepath.Join(b.temp, kind, name+".test"), args...)
	tick := b.tick
	if kind == "std" {
		tick = 0
	}
	cmd.Env = append(os.Environ(), wheel.TickVariable+"="+tick.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("%s, %s: %w\n%s", name, kind, err, out)
	}
	for line := range strings.Lines(string(out)) {
		switch key, _, _ := strings.Cut(line, " "); {
		case key == "goos:", key == "goarch:", key == "cpu:":
			machine += line
		case strings.HasPrefix(key, "Benchmark"):
			figures += line
		}
	}
	return machine, figures, nil
}

// programs returns the names of the folders of loads that match a pattern.
func programs(pattern string) (names []string, err error) {
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	loads, err := filepath.Glob("loads/*/*_test.go")
	if err != nil {
		return nil, err
	}
	for _, load := range loads {
		if name := filepath.Base(filepath.Dir(load)); matches.MatchString(name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("no program here matches %q", pattern)
	}
	return names, nil
}

// commit returns the commit that is measured.
func commit() string {
	id, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(id))
}
