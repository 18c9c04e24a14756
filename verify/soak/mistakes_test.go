package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A mistake is a change of the library that breaks a promise. A soak of the
// library with the mistake must find it, and say what is wrong.
type mistake struct {
	name  string
	edits []edit
	want  []string // one of these is in what soak prints
	whole bool     // seen only when the soak has come to its end
	load  bool     // to be found with -load, too
}

// edit replaces a text that a file of the library has exactly once.
type edit struct{ file, old, new string }

var mistakes = []mistake{
	{
		name:  "one expiry in a hundred is lost",
		edits: []edit{{"batch.go", "\t\tt.execute(to, b)\n", "\t\tif t.expired.Load()%100 != 0 {\n\t\t\tt.execute(to, b)\n\t\t}\n"}},
		want:  []string{"an arming has no outcome"},
		load:  true,
	},
	{
		name:  "one expiry in a hundred is doubled",
		edits: []edit{{"batch.go", "\t\tt.execute(to, b)\n", "\t\tt.execute(to, b)\n\t\tif t.expired.Load()%100 == 0 {\n\t\t\tt.execute(to, b)\n\t\t}\n"}},
		want:  []string{"a task ran whose arming was expired"},
		load:  true,
	},
	{
		name:  "deadlines count from the tick that has begun, not from now",
		edits: []edit{{"timer.go", "return clamp(t.now() + clamp(int64(d)))", "now := t.now()\n\treturn clamp(now - now%t.tick + clamp(int64(d)))"}},
		want:  []string{"a task ran before its deadline"},
	},
	{
		name: "a timeout that was moved later expires when it was due first",
		edits: []edit{
			{"word.go", "|| w.queued() || w.deadline() > due {", "|| w.queued() {"},
			{"batch.go", "at > tick {", "at > 1<<62 {"},
		},
		want: []string{"a task ran before its deadline"},
	},
	{
		name: "a timeout is claimed by a load and a store",
		edits: []edit{
			{"word.go", "\t\tif to.cas(w, next) {\n\t\t\tif next.state() == Expired {", "\t\truntime.Gosched()\n\t\tif to.word.Store(int64(next)); true {\n\t\t\tif next.state() == Expired {"},
			{"word.go", "import \"unsafe\"", "import (\n\t\"runtime\"\n\t\"unsafe\"\n)"},
		},
		want: []string{"a task ran whose arming was cancelled", "a task ran before its deadline"},
	},
	{
		name:  "what was cancelled before it was filed runs",
		edits: []edit{{"batch.go", "\t\tt.cancelled++\n", "\t\tt.cancelled++\n\t\tif t.cancelled%100 == 0 {\n\t\t\tt.expired.Add(1)\n\t\t\tt.running.Add(1)\n\t\t\tgo t.runAndLeave(to)\n\t\t}\n"}},
		want:  []string{"a task ran whose arming was cancelled"},
		load:  true,
	},
	{
		name:  "Timer.Stop drops the backlog",
		edits: []edit{{"stop.go", "[]*Timeout{t.backlog, t.held}", "[]*Timeout{t.held}"}},
		want:  []string{"an arming has no outcome"},
	},
	{
		name:  "Timer.Stop does not collect the due list",
		edits: []edit{{"stop.go", "for t.due.head != nil {", "for false {"}},
		want:  []string{"the timer went on after Timer.Stop"},
	},
	{
		name:  "Timer.Stop drops the batch",
		edits: []edit{{"stop.go", "range t.batch.Load().inUse() {", "range t.batch.Load().inUse()[:0] {"}},
		want:  []string{"an arming has no outcome"},
	},
	{
		name:  "Timer.Stop returns what was stopped before",
		edits: []edit{{"stop.go", "\t\tif to.State() == Cancelled {\n", "\t\tif to.State() == Cancelled && len(left) > 0 && left[len(left)-1] != to {\n\t\t\tleft = append(left, to)\n"}},
		want:  []string{"Timer.Stop returned a Timeout that was cancelled"},
	},
	{
		name:  "an arming that Timer.Stop did not wait for is not refused",
		edits: []edit{{"word.go", "\t\t\tnext = next.settled(Rejected)\n", ""}},
		want:  []string{"an arming has no outcome"},
	},
	{
		name:  "a worker that sleeps is not woken",
		edits: []edit{{"worker.go", "\t\tt.nudge()\n", ""}},
		want:  []string{"the timer did not run dry", "no task ran any more"},
	},
	{
		name:  "a reservation is kept when a timeout is stopped",
		edits: []edit{{"word.go", "\tto.timer.release()\n\tif !w.queued() {\n", "\tif !w.queued() {\n"}},
		want:  []string{"WithMaxPending counts what is no longer pending"},
	},
	{
		name:  "a goroutine is left over at each hand-over",
		edits: []edit{{"worker.go", "\t\t\tt.back(b)\n", "\t\t\tt.back(b)\n\t\t\tgo func() { select {} }()\n"}},
		want:  []string{"a goroutine is left over"},
	},
	{
		name: "what is cancelled is kept until its bucket comes round",
		edits: []edit{
			{"word.go", "w.settled(Cancelled)|queued)", "w.settled(Cancelled))"},
			{"word.go", "\tto.timer.release()\n\tif !w.queued() {\n", "\tto.timer.release()\n\tif false {\n"},
		},
		want:  []string{"the heap grows during a timer's life"},
		whole: true,
	},
	{
		name:  "one panic in ten is not counted",
		edits: []edit{{"executor.go", "\tt.panics.Add(1)\n", "\tif t.expired.Load()%10 != 0 {\n\t\tt.panics.Add(1)\n\t}\n"}},
		want:  []string{"Stats.Panics does not agree"},
	},
}

func TestEveryMistakeIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library again for each")
	}
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			duration := "9s" // ends as soon as it is found
			if m.whole {
				duration = "3s"
			}
			program := m.build(t)
			soak := exec.Command(program, "-for", duration, "-life", "1s", "-pending", "5000", "-seed", "1", "-patience", "3s")
			out, err := soak.CombinedOutput()
			if err == nil || soak.ProcessState.ExitCode() != 1 || !m.isIn(string(out)) {
				t.Errorf("soak ended with %v, without one of %q:\n%s", err, m.want, out)
			}
			_, verdict, _ := strings.Cut(string(out), "BALANCE:\n")
			t.Log("\n" + verdict)
			if m.load {
				assertLoadFinds(t, program)
			}
		})
	}
}

func assertLoadFinds(t *testing.T, program string) {
	t.Helper()
	load := exec.Command(program, "-load", "30000", "-patience", "3s")
	out, err := load.CombinedOutput()
	if err == nil || load.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "a timeout without its one outcome") {
		t.Errorf("with -load it ended with %v:\n%s", err, out)
	}
}

func (m mistake) isIn(out string) bool {
	for _, want := range m.want {
		if strings.Contains(out, want) {
			return true
		}
	}
	return false
}

// build returns a soak that is built with the mistake. The library's own files
// stay as they are.
func (m mistake) build(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	overlay, err := json.Marshal(map[string]any{"Replace": m.replace(t, dir)})
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "soak.exe")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", list, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// replace writes the changed files to dir and returns them by what they replace.
func (m mistake) replace(t *testing.T, dir string) map[string]string {
	t.Helper()
	replaced, text := make(map[string]string), make(map[string]string)
	for _, e := range m.edits {
		path, err := filepath.Abs(filepath.Join("..", "..", e.file))
		if err != nil {
			t.Fatal(err)
		}
		if text[path] == "" {
			original, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text[path] = string(original)
		}
		if n := strings.Count(text[path], e.old); n != 1 {
			t.Fatalf("%s has %d times, and should have once:\n%s", e.file, n, e.old)
		}
		text[path] = strings.Replace(text[path], e.old, e.new, 1)
	}
	for path, changed := range text {
		replaced[path] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(replaced[path], []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return replaced
}
