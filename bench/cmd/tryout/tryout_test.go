package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// user is a module with a benchmark, a main package and a deadline.
func user(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/user\n\ngo 1.25\n",
		"u.go":        "package user\n\nimport (\n\t\"net\"\n\t\"time\"\n)\n\nfunc Arm() *time.Timer { return time.AfterFunc(time.Hour, func() {}) }\n\nfunc deadline(c net.Conn) { c.SetDeadline(time.Time{}) }\n",
		"u_test.go":   "package user\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc BenchmarkArm(b *testing.B) {\n\tfor b.Loop() {\n\t\tArm().Stop()\n\t}\n}\n\nfunc TestKind(t *testing.T) { fmt.Printf(\"kind %T\\n\", Arm()) }\n",
		"cmd/main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc main() {\n\tt := time.AfterFunc(time.Hour, func() {})\n\tt.Stop()\n\tfmt.Printf(\"kind %T\\n\", t)\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath")
	t.Setenv("TMPDIR", t.TempDir())
	return dir
}

// tree returns the names and texts of a folder's files.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func tryout(t *testing.T, args ...string) (out, progress string, err error) {
	t.Helper()
	var o, p bytes.Buffer
	err = run(context.Background(), args, &o, &p)
	return o.String(), p.String(), err
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// TestMain lets the go command run test binaries through this one, as it does through tryout.
func TestMain(m *testing.M) {
	if os.Getenv(recordVariable) != "" {
		os.Exit(wrap(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func TestTryoutWithoutCommandLists(t *testing.T) {
	dir := user(t)
	out, _, err := tryout(t, "-C", dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, "3 uses of timers swapped, 1 left", "swapped  u.go:8: time.AfterFunc", "left     u.go:10: SetDeadline")
}

func TestTryoutOfBenchmarks(t *testing.T) {
	dir := user(t)
	before := tree(t, dir)
	out, progress, err := tryout(t, "-v", "-rounds", "1", "-C", dir, "./...", "--", "go", "test", "-bench=.", "-benchtime=200ms", "./...")
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, "in timers: ", "CPU, user and system, s", "peak memory, MB", "BenchmarkArm", "ns/op")
	wants(t, progress, "kind *time.Timer", "kind *wheeltime.Timer")
	if after := tree(t, dir); len(after) != len(before) {
		t.Errorf("files before: %d, after: %d", len(before), len(after))
	} else {
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s has changed", name)
			}
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}

func TestTryoutOfProgram(t *testing.T) {
	dir := user(t)
	out, progress, err := tryout(t, "-v", "-rounds=1", "-C", filepath.Join(dir, "cmd"), ".", "--", "go", "run", ".")
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, "no profile", "CPU, user and system, s")
	wants(t, progress, "kind *time.Timer", "kind *wheeltime.Timer")
}

func TestTryoutFailingCommandShowsItsOutput(t *testing.T) {
	dir := user(t)
	_, _, err := tryout(t, "-C", dir, "--", "go", "test", "-run=nosuchflag", "-nosuchflag")
	if err == nil || !strings.Contains(err.Error(), "nosuchflag") {
		t.Error(err)
	}
	_, _, err = tryout(t, "-C", os.TempDir(), "--", "true")
	if err == nil || !strings.Contains(err.Error(), "not inside a module") {
		t.Error(err)
	}
}

func TestTryoutTagsOfCommand(t *testing.T) {
	for command, want := range map[string]string{
		"go test -tags a,b .": "a,b", "go test --tags=a .": "a", "go test .": "", "go test -tags": "", "go run -tagsx=a .": "",
	} {
		if got := tags(strings.Fields(command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestTryoutBenchmarksOfOutput(t *testing.T) {
	f, order := benchmarks("goos: linux\nBenchmarkA-2   \t 100\t 10 ns/op\t 3 B/op\nBenchmarkA-2 100 30 ns/op 3 B/op\nBenchmarkA-2 100 20 ns/op 3 B/op\nBenchmarkB 1 2.5 req/s\nBenchmarkC\nok\n")
	if len(order) != 3 || order[2] != "BenchmarkB, req/s" || f["BenchmarkA-2, ns/op"] != 20 || f[order[2]] != 2.5 {
		t.Error(f, order)
	}
}

func TestTryoutVerdicts(t *testing.T) {
	for _, c := range []struct {
		a, b, again float64
		want        string
	}{
		{100, 50, 105, "less with the wheel"}, {100, 200, 105, "more with the wheel"}, {100, 99, 105, "even"},
		{100, 50, 190, "too noisy"}, {0, 0, 0, "even"},
	} {
		table := table{order: []string{"x"}, rounds: [][3]figures{{{"x": c.a}, {"x": c.b}, {"x": c.again}}}}
		r, ok := table.row("x")
		if got := r.verdict(); !ok || got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
}
