// Tryout runs a command of your module with package time's timers and with the wheel's, in turn, and prints the difference.
// It changes temporary copies of the module: see usage.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/swap"
)

const usage = `Tryout runs a command of the module in this folder with package time's timers and
with the wheel's, in turn, and prints the difference. The module stays as it is:
tryout works on temporary copies, and swaps the timers of the packages in one copy.
Of go test and go run it measures the programs that they run, not the compiler.

	tryout [flags] [packages] [-- command]

	tryout ./...                                  list the timers that would be swapped
	tryout ./... -- go test -run '^$' -bench .    measure the benchmarks
	tryout -rounds 3 . -- go run .                measure a program that ends by itself

`

func main() {
	if os.Getenv(recordVariable) != "" {
		os.Exit(wrap(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "tryout:", err)
		stop()
		os.Exit(1)
	}
}

// trial is one use of tryout.
type trial struct {
	out, progress io.Writer
	options       swap.Options
	rounds        int
	tick          time.Duration
	verbose       bool
	command       []string
	module        string // its root
	temp          string
	plain, wheel  string   // the copies
	env           []string // of commands in either copy, by their folder
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	t := trial{out: out, progress: progress}
	if i := slices.Index(args, "--"); i >= 0 {
		args, t.command = args[:i], args[i+1:]
	}
	flags := flag.NewFlagSet("tryout", flag.ContinueOnError)
	dir := flags.String("C", ".", "the `folder` to start in")
	flags.IntVar(&t.rounds, "rounds", 5, "how many `times` the command runs with the wheel, and twice as often with package time")
	flags.DurationVar(&t.tick, "tick", 10*time.Millisecond, "the wheel's tick: timers are late by up to this `duration`")
	buildTags := flags.String("tags", "", "build `tags`, if the command has none")
	flags.StringVar(&t.options.Wheel, "wheel", "", "the `folder` of the wheel's sources, if tryout was built with -trimpath")
	flags.BoolVar(&t.verbose, "v", false, "list every timer, and print the command's output")
	flags.SetOutput(progress)
	flags.Usage = func() {
		fmt.Fprint(progress, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return errors.New("nothing was run")
	}
	t.options.Patterns = flags.Args()
	switch {
	case t.rounds < 1:
		return errors.New("-rounds must be at least 1")
	case t.tick < 100*time.Microsecond:
		return errors.New("-tick must be at least 100µs")
	}
	if len(t.command) > 0 && filepath.Base(t.command[0]) == t.command[0] {
		if _, err := exec.LookPath(t.command[0]); err != nil {
			return err
		}
	}
	t.options.Flags = []string{"-tags=" + cmp.Or(*buildTags, tags(t.command))}
	if err := t.find(*dir); err != nil {
		return err
	}
	if len(t.command) == 0 {
		t.verbose = true
		report, err := swap.Plan(t.module, t.options)
		if err != nil {
			return err
		}
		t.list(report)
		return nil
	}
	temp, err := os.MkdirTemp("", "tryout-")
	if err == nil {
		temp, err = filepath.EvalSymlinks(temp)
	}
	if err != nil {
		return err
	}
	t.temp = temp
	defer func() { _ = os.RemoveAll(temp) }() // the system removes the rest
	if err := t.copies(); err != nil {
		return err
	}
	return t.measure(ctx)
}

// tags returns the build tags that a go command sets.
func tags(command []string) string {
	for i, arg := range command {
		name, value, ok := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && strings.TrimPrefix(name, "-") == "tags" {
			if ok {
				return value
			}
			if i+1 < len(command) {
				return command[i+1]
			}
		}
	}
	return ""
}

// find looks up the root of the module around dir.
func (t *trial) find(dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "env", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return fmt.Errorf("%s is not inside a module", dir)
	}
	t.module = filepath.Dir(mod)
	t.options.Dir, err = filepath.Rel(t.module, dir)
	return err
}

func (t *trial) copies() error {
	var env []string
	for _, c := range []struct {
		to   *string
		name string
	}{{&t.plain, "plain"}, {&t.wheel, "wheel"}} {
		*c.to = filepath.Join(t.temp, c.name, filepath.Base(t.module))
		added, err := swap.Copy(*c.to, t.module)
		if err != nil {
			return fmt.Errorf("copying the module: %w", err)
		}
		env = append(env, added...)
	}
	t.env = env
	options := t.options
	options.Env = env[1:]
	report, err := swap.Swap(t.wheel, options)
	if err != nil {
		return err
	}
	t.list(report)
	return nil
}

// list prints which timers are swapped and which are not: each timer, or only the numbers and the reasons.
func (t *trial) list(r *swap.Report) {
	fmt.Fprintf(t.out, "%s: %d uses of timers swapped, %d left\n", r.Module, len(r.Swapped), len(r.Left))
	if t.verbose {
		for _, s := range r.Swapped {
			fmt.Fprintln(t.out, "  swapped ", s)
		}
		for _, s := range r.Left {
			fmt.Fprintln(t.out, "  left    ", s)
		}
	} else {
		count := map[string]int{}
		var order []string
		for _, s := range r.Left {
			why := s.Name + ": " + s.Why
			if count[why]++; count[why] == 1 {
				order = append(order, why)
			}
		}
		for _, why := range order {
			fmt.Fprintf(t.out, "  left %4d × %s\n", count[why], why)
		}
	}
	if len(r.Ignored) > 0 {
		fmt.Fprintf(t.out, "  files that build tags exclude (see -tags): %d, the first is %s\n", len(r.Ignored), r.Ignored[0])
	}
	for _, w := range r.Warning {
		fmt.Fprintln(t.out, "  does not compile:", w)
	}
	fmt.Fprintln(t.out, "  Timers inside other modules are never swapped.")
}
