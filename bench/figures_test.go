package bench

import (
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// commit is set by the script figures, whose programs run measureFigures if they have no -test.bench.
var commit string

var rounds = flag.Int("rounds", 0, "`number` of rounds of ./figures (default as many as nine minutes permit)")

// What ./figures measures. A round takes figuresRound for each number of processors.
const (
	figuresLoads = "Arm/pending=[^0]|Rearm|MoveLater|Fire|Storm/call=(new|5ms)/goroutines=256/tick=1ms" +
		"|Collector/./dropped/minute|^BenchmarkSaturated$/beside=(nothing|timer)/tick=1ms"
	figuresRound = 65 * time.Second
)

// measureFigures measures on 1, 2, 4 … and all processors, and writes figures.txt. Each round is a process.
func measureFigures() error {
	cpus := processorsUpTo(runtime.GOMAXPROCS(0))
	if *rounds == 0 {
		*rounds = max(1, int(9*time.Minute/figuresRound)/len(cpus))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	file, err := os.Create("figures.txt")
	if err != nil {
		return err
	}
	out := io.MultiWriter(os.Stdout, file)
	_, err = fmt.Fprintf(out, "# commit %s, %s, %s, %d processors, %s\n", commit, time.Now().Format(time.DateOnly),
		runtime.Version(), runtime.NumCPU(), strings.Join(append([]string{"./figures"}, os.Args[1:]...), " "))
	for range *rounds {
		cmd := exec.Command(program, append([]string{
			"-test.bench=" + figuresLoads, "-test.cpu=" + strings.Join(cpus, ","),
		}, os.Args[1:]...)...)
		cmd.Stdout, cmd.Stderr = out, out
		err = errors.Join(err, cmd.Run()) // a timer that fails is told among the results
	}
	path, _ := filepath.Abs(file.Name())
	fmt.Println("written to", path)
	return errors.Join(err, file.Close())
}

// processorsUpTo returns 1, 2, 4 … and n.
func processorsUpTo(n int) (cpus []string) {
	for p := 1; p < n; p *= 2 {
		cpus = append(cpus, strconv.Itoa(p))
	}
	return append(cpus, strconv.Itoa(n))
}

func TestFiguresProgramsMeasureWithoutGo(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("builds programs for Linux, and runs one of them")
	}
	t.Parallel()
	built, run := t.TempDir(), t.TempDir()
	if out, err := exec.Command("./figures", "-build", built).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	isStaticProgram(t, built+"/figures-linux-amd64", elf.EM_X86_64)
	isStaticProgram(t, built+"/figures-linux-arm64", elf.EM_AARCH64)

	cmd := exec.Command(built+"/figures-linux-"+runtime.GOARCH, "-rounds=1", "-scale=0.001", "-test.benchtime=1x")
	cmd.Dir = run
	cmd.Env = append(os.Environ(), "PATH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(run, "figures.txt"))
	if err != nil {
		t.Fatal(err)
	}
	header := `^# commit [0-9a-f]+(-dirty)?, \d{4}-\d\d-\d\d, go\d.*, \d+ processors, \./figures -rounds=1 .*\n`
	if !regexp.MustCompile(header).Match(content) {
		t.Errorf("the first line does not match %s", header)
	}
	measured := map[string]bool{}
	for _, r := range results(t, strings.Split(string(content), "\n")) {
		measured[regexp.MustCompile(`/.*timer=`).ReplaceAllString(r.Name.String(), " ")] = true
	}
	for _, name := range []string{"Arm", "Collector", "Fire", "MoveLater", "Rearm", "Saturated", "Storm"} {
		for _, k := range Two {
			for _, n := range processorsUpTo(runtime.GOMAXPROCS(0)) {
				if row := strings.TrimSuffix(name+" "+k.Name+"-"+n, "-1"); !measured[row] {
					t.Errorf("%s is missing in:\n%s", row, content)
				}
			}
		}
	}
}

func isStaticProgram(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if program.Machine != machine {
		t.Errorf("%s is for %v", path, program.Machine)
	}
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s needs %v, %v", path, libraries, err)
	}
}

func TestProcessorsUpTo(t *testing.T) {
	for n, want := range map[int]string{1: "1", 2: "1 2", 3: "1 2 3", 4: "1 2 4", 6: "1 2 4 6", 16: "1 2 4 8 16"} {
		if got := strings.Join(processorsUpTo(n), " "); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
