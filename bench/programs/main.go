// Programs measures other people's programs with package time's timers, with wheeltime's timers in their place, and
// ported to the wheel, and prints a table for each.
//
//	cd bench/programs && go run . -rounds 5
//
// Each program's module is copied from the module cache, at the version in go.mod, into a temporary folder and changed there.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
	"github.com/hashedwheel/hashedwheel/bench/swap"
)

func main() {
	var b bench
	only := flag.String("only", "", "measure programs whose name matches this `pattern`")
	flag.IntVar(&b.rounds, "rounds", 5, "how many `times` each program runs with each kind of timer")
	flag.DurationVar(&b.measured, "for", 8*time.Second, "`duration` of each measurement")
	flag.BoolVar(&b.short, "short", false, "one second at a tenth of the load, to see that everything runs; the figures mean nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		stop()
		os.Exit(1)
	}
}

type bench struct {
	rounds   int
	measured time.Duration
	short    bool
	dir      string // this module
	temp     string
}

func (b *bench) run(ctx context.Context, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if b.rounds < 1 || b.measured < 100*time.Millisecond {
		return errors.New("-rounds must be at least 1, and -for 100ms")
	}
	if b.short {
		b.measured = min(b.measured, time.Second)
	}
	if b.dir, err = goOutput(".", "list", "-m", "-f", "{{.Dir}}"); err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "programs-"); err != nil {
		return err
	}
	if b.temp, err = filepath.EvalSymlinks(b.temp); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.temp) }() // the system removes the rest
	header(os.Stdout, b.rounds, b.measured, b.short)
	for _, p := range programs {
		if !pattern.MatchString(p.name) {
			continue
		}
		r, err := b.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.print(os.Stdout)
	}
	return nil
}

// variant is one way to build and run a program.
type variant struct {
	name   string // package time, swapped, ported
	binary string
	native bool
	tick   time.Duration
}

// measure builds a program's variants and runs them in turn, package time first and last.
func (b *bench) measure(ctx context.Context, p program) (*result, error) {
	r := &result{program: p}
	variants, err := b.build(p, r)
	if err != nil {
		return nil, err
	}
	profile := filepath.Join(b.temp, p.name)
	if err := os.Mkdir(profile, 0o755); err != nil {
		return nil, err
	}
	if _, err := b.once(ctx, variants[0], "-profile="+filepath.Join(profile, "cpu.pprof")); err != nil {
		return nil, err
	}
	if r.shares, err = swap.ReadShares(profile); err != nil {
		return nil, err
	}
	variants = append(variants, variants[0])
	for _, v := range variants {
		r.lines = append(r.lines, line{variant: v})
	}
	for round := range b.rounds {
		for k := range variants {
			i := (k + round) % len(variants) // no variant is always the first after the compiler
			v := variants[i]
			fmt.Fprintf(os.Stderr, "%s, round %d of %d: %s %v\n", p.name, round+1, b.rounds, v.name, v.tick)
			f, err := b.once(ctx, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.name, err)
			}
			r.lines[i].runs = append(r.lines[i].runs, f)
		}
	}
	return r, nil
}

func (b *bench) once(ctx context.Context, v variant, more ...string) (f load.Figures, err error) {
	args := append([]string{"-for=" + b.measured.String(), "-tick=" + v.tick.String()}, more...)
	if v.native {
		args = append(args, "-native")
	}
	if b.short {
		args = append(args, "-short", "-warm=1s")
	}
	cmd := exec.CommandContext(ctx, v.binary, args...)
	cmd.Env = append(os.Environ(), swap.TickVariable+"="+v.tick.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(out, &f)
}

// build compiles a program as it is, swapped, and ported.
func (b *bench) build(p program, r *result) ([]variant, error) {
	fmt.Fprintf(os.Stderr, "%s: compiling\n", p.name)
	ticks := p.ticks
	if len(ticks) == 0 {
		ticks = []time.Duration{10 * ms}
	}
	at, err := goOutput(b.dir, "list", "-m", "-f", "{{.Version}} {{.Dir}}", p.module)
	if err != nil {
		return nil, err
	}
	version, dir, _ := strings.Cut(at, " ")
	if dir == "" {
		if dir, err = goOutput(b.dir, "mod", "download", "-json", p.module); err != nil {
			return nil, err
		}
		var m struct{ Dir string }
		if err := json.Unmarshal([]byte(dir), &m); err != nil {
			return nil, err
		}
		dir = m.Dir
	}
	r.version = version
	plain := filepath.Join(b.temp, p.name+"-plain")
	if _, err := goOutput(b.dir, "build", "-o", plain, "./loads/"+p.name); err != nil {
		return nil, err
	}
	variants := []variant{{name: "package time", binary: plain}}
	add := func(name, binary string, native bool) {
		for _, tick := range ticks {
			variants = append(variants, variant{name, binary, native, tick})
		}
	}
	if p.noSwap == "" {
		binary, err := b.changed(p, "swapped", dir, func(copied, mod string) (err error) {
			r.report, err = swap.Swap(copied, swap.Options{Dir: b.dir, Patterns: []string{"./loads/" + p.name}, Module: p.module, Flags: []string{"-modfile=" + mod}})
			return err
		})
		if err != nil {
			return nil, err
		}
		add("swapped", binary, false)
	}
	switch {
	case p.own:
		add("ported", plain, true)
	case p.port:
		script, err := os.ReadFile(filepath.Join(b.dir, "ports", p.name+".ed"))
		if err != nil {
			return nil, err
		}
		binary, err := b.changed(p, "ported", dir, func(copied, _ string) error {
			if err := edit(copied, string(script)); err != nil {
				return err
			}
			return swap.AddWheel(copied, p.module, "")
		})
		if err != nil {
			return nil, err
		}
		add("ported", binary, false)
	}
	return variants, nil
}

// changed builds a load on a copy of the program's module after change has worked on it.
func (b *bench) changed(p program, name, dir string, change func(copied, mod string) error) (binary string, err error) {
	base := filepath.Join(b.temp, p.name+"-"+name)
	copied, mod := base+"-module", base+".mod"
	if _, err := swap.Copy(copied, dir); err != nil {
		return "", err
	}
	for _, ext := range []string{"mod", "sum"} {
		text, err := os.ReadFile(filepath.Join(b.dir, "go."+ext))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(base+"."+ext, text, 0o644); err != nil {
			return "", err
		}
	}
	if _, err := goOutput(b.dir, "mod", "edit", "-replace="+p.module+"="+copied,
		"-replace=github.com/hashedwheel/hashedwheel="+filepath.Join(b.dir, "../.."),
		"-replace=github.com/hashedwheel/hashedwheel/bench="+filepath.Join(b.dir, ".."), mod); err != nil {
		return "", err
	}
	if err := change(copied, mod); err != nil {
		return "", err
	}
	_, err = goOutput(b.dir, "build", "-modfile="+mod, "-o", base, "./loads/"+p.name)
	return base, err
}

func goOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
