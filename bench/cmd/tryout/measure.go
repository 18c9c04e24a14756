package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/swap"
)

// figures are the CPU and the peak memory of one run of the command, and the results of its benchmarks, by name.
type figures map[string]float64

const (
	cpu    = "CPU, user and system, s"
	memory = "peak memory, MB"
)

// measure profiles the command once, then runs it with package time, with the wheel, and with package time again, in every round.
// The two runs with package time show how much is noise.
func (t *trial) measure(ctx context.Context) error {
	if err := t.profile(ctx); err != nil {
		return err
	}
	fmt.Fprintln(t.progress, "compiling and trying with the wheel")
	if _, _, err := t.once(ctx, t.wheel, t.env[1], ""); err != nil {
		return fmt.Errorf("with the wheel: %w", err)
	}
	var table table
	for round := range t.rounds {
		var all [3]figures
		for i, dir := range []string{t.plain, t.wheel, t.plain} {
			fmt.Fprintf(t.progress, "round %d of %d: %s\n", round+1, t.rounds, []string{"package time", "the wheel", "package time again"}[i])
			env := t.env[0]
			if dir == t.wheel {
				env = t.env[1]
			}
			f, order, err := t.once(ctx, dir, env, "")
			if err != nil {
				return err
			}
			all[i] = f
			table.names(order)
		}
		table.rounds = append(table.rounds, all)
	}
	fmt.Fprintln(t.out)
	table.print(t.out, t.tick)
	return nil
}

// profile runs the command with a CPU profiler and prints the share of timers.
func (t *trial) profile(ctx context.Context) error {
	fmt.Fprintln(t.progress, "compiling and profiling with package time")
	mains, err := addProfiler(t.plain, append(os.Environ(), t.env[0]))
	if err != nil {
		return err
	}
	dir := filepath.Join(t.temp, "profiles")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if _, _, err := t.once(ctx, t.plain, t.env[0], dir); err != nil {
		return fmt.Errorf("with package time, in a copy of the module: %w", err)
	}
	for _, name := range mains {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	s, err := swap.ReadShares(dir)
	if err != nil {
		fmt.Fprintln(t.out, "no profile: no test or program of this module ran long enough")
		return nil
	}
	fmt.Fprintf(t.out, "in timers: %.1f%% of the CPU time (%v profiled); of that contexts %.1f%% and deadlines of connections %.1f%%, which cannot be swapped\n",
		100*s.Timers, s.Total.Round(10_000_000), 100*s.Contexts, 100*s.Deadlines)
	fmt.Fprintf(t.out, "Another timer can gain about %.1f%% at most, and in addition less garbage and fewer wakeups.\n",
		100*(s.Timers-s.Contexts-s.Deadlines))
	return nil
}

// once runs the command in a copy and returns its figures, and their names in order.
func (t *trial) once(ctx context.Context, dir, env, profiles string) (figures, []string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	record := filepath.Join(t.temp, "record")
	if err := os.RemoveAll(record); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, t.command[0], t.command[1:]...)
	cmd.Dir = filepath.Join(dir, t.options.Dir)
	cmd.Env = append(os.Environ(), env, "PWD="+cmd.Dir, swap.TickVariable+"="+t.tick.String(),
		// go test and go run start all programs through wrap, and take no result from the cache.
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -count=1 '-exec="+self+"'"),
		recordVariable+"="+record, profileVariable+"="+profiles)
	var stdout bytes.Buffer
	var output shared
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &output), &output
	if t.verbose {
		output.also = t.progress
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", strings.Join(t.command, " "), err, tail(output.text.Bytes(), 2000))
	}
	f, order := benchmarks(stdout.String())
	f[cpu] = cpuSeconds(cmd.ProcessState) // the peak would be that of this process, if that is larger
	if err := addRecords(f, record); err != nil {
		return nil, nil, err
	}
	return f, append([]string{cpu, memory}, order...), nil
}

// shared collects what two goroutines write.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
	also io.Writer    // nil: none
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	if s.also != nil {
		return s.also.Write(b)
	}
	return len(b), nil
}

func tail(b []byte, n int) []byte {
	if len(b) > n {
		return append([]byte("...\n"), b[len(b)-n:]...)
	}
	return b
}

// The environment of wrap.
const (
	recordVariable  = "HASHEDWHEEL_TRYOUT_RECORD"  // a file to which it adds a line
	profileVariable = "HASHEDWHEEL_TRYOUT_PROFILE" // a folder for profiles; none if empty
)

type record struct{ CPU, Memory float64 }

// wrap runs a program for the go command and records its use of CPU and memory.
func wrap(args []string) int {
	if dir := os.Getenv(profileVariable); dir != "" && strings.HasSuffix(strings.TrimSuffix(args[0], ".exe"), ".test") {
		args = append([]string{args[0], fmt.Sprintf("-test.cpuprofile=%s/%d.pprof", dir, os.Getpid())}, args[1:]...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	name := os.Getenv(recordVariable)
	cmd.Env = append(os.Environ(), recordVariable+"=") // a go command below is not measured twice
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "tryout:", err)
		return 1
	}
	if err := appendRecord(name, record{cpuSeconds(cmd.ProcessState), machine.PeakMemory(cmd.ProcessState)}); err != nil {
		fmt.Fprintln(os.Stderr, "tryout:", err)
		return 1
	}
	return max(cmd.ProcessState.ExitCode(), -1) & 0xff
}

func cpuSeconds(p *os.ProcessState) float64 { return (p.UserTime() + p.SystemTime()).Seconds() }

func appendRecord(name string, r record) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(r), f.Close())
}

// addRecords replaces the figures of the whole command by the figures of the programs that wrap ran, if there are any.
func addRecords(f figures, name string) error {
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	f[cpu], f[memory] = 0, 0
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var r record
		if err := d.Decode(&r); err != nil {
			return err
		}
		f[cpu] += r.CPU
		f[memory] = max(f[memory], r.Memory)
	}
	return nil
}

// addProfiler writes a file into each main package in dir that profiles the program in portions, so that a program
// which ends by os.Exit loses only the last portion. It returns the names of the files.
func addProfiler(dir string, env []string) (names []string, err error) {
	cmd := exec.Command("go", "list", "-e", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`, "./...")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for main := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' || r == '\r' }) {
		name := filepath.Join(main, "hashedwheel_tryout_profiler.go")
		names = append(names, name)
		if err := os.WriteFile(name, []byte(profiler), 0o644); err != nil {
			return names, err
		}
	}
	return names, nil
}

const profiler = `package main

import (
	hwfmt "fmt"
	hwos "os"
	hwpprof "runtime/pprof"
	hwstrings "strings"
	hwtime "time"
)

func init() {
	dir := hwos.Getenv("HASHEDWHEEL_TRYOUT_PROFILE")
	if dir == "" || hwstrings.Contains(hwos.Args[0], ".test") {
		return
	}
	portion := func(n int, d hwtime.Duration) bool {
		f, err := hwos.Create(hwfmt.Sprintf("%s/%d-%d.pprof", dir, hwos.Getpid(), n))
		if err != nil || hwpprof.StartCPUProfile(f) != nil {
			return false
		}
		hwtime.Sleep(d)
		hwpprof.StopCPUProfile()
		return f.Close() == nil
	}
	go func() {
		d := 200 * hwtime.Millisecond
		for n := 0; portion(n, d); n++ {
			d = min(2*d, 2*hwtime.Second)
		}
	}()
}
`
