package main

import (
	"encoding/json"
	"flag"
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

// misuse is the panic of a library that finds the word of a Timeout changed behind its back.
const misuse = "Timeout of a *main.account was copied or overwritten after it was armed"

// edit replaces a text that a file of the library has exactly once.
type edit struct{ file, old, new string }

var mistakes = []mistake{
	{
		name:  "one expiry in a hundred is lost",
		edits: []edit{{"executor.go", "\tr.count.Add(1)\n", "\tif r.count.Add(1)%100 == 0 {\n\t\treturn\n\t}\n"}},
		want:  []string{"an arming has no outcome"},
		load:  true,
	},
	{
		name:  "one expiry in a hundred is doubled",
		edits: []edit{{"worker.go", "\t\t\twk.out.execute(t)\n", "\t\t\twk.out.execute(t)\n\t\t\tif wk.out.count.Load()%100 == 0 {\n\t\t\t\twk.out.execute(t)\n\t\t\t}\n"}},
		want:  []string{"a task ran whose arming was expired"},
		load:  true,
	},
	{
		name:  "deadlines count from the tick that has begun, not from now",
		edits: []edit{{"timeline.go", "return clamp(tl.now() + clamp(max(0, int64(d))))", "return clamp(tl.now()/tl.tick*tl.tick + clamp(max(0, int64(d))))"}},
		want:  []string{"a task ran before its deadline"},
	},
	{
		name: "a timeout that was moved later expires when it was due first",
		edits: []edit{
			{"word.go", "|| w.queued() || w.deadline() > due {", "|| w.queued() {"},
			{"filing.go", "if w.deadline() > tick*g.wheel.tick {", "if false {"},
		},
		want: []string{"a task ran before its deadline"},
	},
	{
		name: "a timeout is claimed by a load and a store",
		edits: []edit{
			{"word.go", "\t\tif t.cas(w, w.settled(Expired)) {", "\t\truntime.Gosched()\n\t\tif t.word.Store(int64(w.settled(Expired)|t.load()&queued)); true {"},
			{"word.go", "import \"unsafe\"", "import (\n\t\"runtime\"\n\t\"unsafe\"\n)"},
		},
		want: []string{"a task ran whose arming was cancelled", "a task ran before its deadline", misuse},
	},
	{
		name:  "what was cancelled before it was filed runs",
		edits: []edit{{"filing.go", "\tcase Cancelled:\n\t\tg.cancelled++\n", "\tcase Cancelled:\n\t\tg.cancelled++\n\t\tif out := &t.timer.out; g.cancelled%100 == 0 {\n\t\t\tout.count.Add(1)\n\t\t\tout.Enter()\n\t\t\tgo func() { defer out.Leave(); out.Run(t) }()\n\t\t}\n"}},
		want:  []string{"a task ran whose arming was cancelled"},
		load:  true,
	},
	{
		name:  "a helper loses the rest of a list",
		edits: []edit{{"guarded.go", "\tg.fileBacklog(2 * portion)\n", "\tg.fileBacklog(portion)\n\tg.backlog = nil\n"}},
		want:  []string{"an arming has no outcome", "the timer did not run dry"},
		load:  true,
	},
	{
		name:  "Timer.Stop drops the backlog",
		edits: []edit{{"filing.go", "append(g.queue.close(), g.backlog, g.held)", "append(g.queue.close(), g.held)"}},
		want:  []string{"an arming has no outcome"},
	},
	{
		name:  "Timer.Stop does not collect the wheel",
		edits: []edit{{"filing.go", "return g.wheel.popAny()\n", "return nil\n"}},
		want:  []string{"an arming has no outcome", "soak: stuck: a call on a timer, or a task, did not return"},
	},
	{
		name:  "Timer.Stop drops the batch",
		edits: []edit{{"guarded.go", "for _, t := range g.batch {\n\t\t\tsettle(t)", "for _, t := range g.batch[:0] {\n\t\t\tsettle(t)"}},
		want:  []string{"an arming has no outcome", "the timer went on after Timer.Stop"},
	},
	{
		name:  "Timer.Stop returns what was stopped before",
		edits: []edit{{"guarded.go", "\t\tif t.load().state() == Cancelled {\n", "\t\tif t.load().state() == Cancelled && len(left) > 0 && left[len(left)-1] != t {\n\t\t\tleft = append(left, t)\n"}},
		want:  []string{"Timer.Stop returned a Timeout that was cancelled"},
	},
	{
		name:  "an arming that Timer.Stop did not wait for is not refused",
		edits: []edit{{"word.go", "\t\t\tnext = next.settled(tooLate)\n", ""}},
		want:  []string{"an arming has no outcome"},
	},
	{
		name:  "a worker that sleeps is not woken",
		edits: []edit{{"worker.go", "\t\tcase wk.wake <- struct{}{}:\n", ""}},
		want:  []string{"the timer did not run dry", "no task ran any more"},
	},
	{
		name:  "a reservation is kept when a timeout is stopped",
		edits: []edit{{"timeout.go", "\t\t\tt.timer.room.release(1)\n", ""}},
		want:  []string{"WithMaxPending counts what is no longer pending"},
	},
	{
		name:  "a refusal tells the wrong reason",
		edits: []edit{{"timeout.go", "\tcase Rejected:\n\t\treturn ErrFull\n", "\tcase Rejected:\n\t\treturn ErrStopped\n"}},
		want:  []string{"an arming was rejected, and the reason is not true"},
	},
	{
		name:  "a goroutine is left over at each panic",
		edits: []edit{{"executor.go", "\tr.panics.Add(1)\n", "\tr.panics.Add(1)\n\tgo func() { select {} }()\n"}},
		want:  []string{"a goroutine is left over"},
	},
	{
		name:  "what is cancelled is kept until its bucket comes round",
		edits: []edit{{"word.go", "return !w.queued(), t.cas(w, w.settled(Cancelled)|queued)", "return false, t.cas(w, w.settled(Cancelled))"}},
		want:  []string{"the heap grows during a timer's life"},
		whole: true,
	},
	{
		name:  "one panic in ten is not counted",
		edits: []edit{{"executor.go", "\tr.panics.Add(1)\n", "\tif r.count.Load()%10 != 0 {\n\t\tr.panics.Add(1)\n\t}\n"}},
		want:  []string{"Stats.Panics does not agree"},
	},
}

var withMistakes = flag.Bool("mistakes", false, "build the library with each mistake, and see that it is found: some minutes")

func TestEveryMistakeIsFound(t *testing.T) {
	if !*withMistakes {
		t.Skip("asked for by -mistakes")
	}
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			duration := "9s" // ends as soon as it is found
			if m.whole {
				duration = "3s"
			}
			program := m.build(t)
			soak := command(program, "-for", duration, "-life", "1s", "-pending", "5000", "-seed", "1", "-patience", "3s")
			out, err := soak.CombinedOutput()
			crashed := strings.Contains(string(out), misuse) // else soak has found it
			if err == nil || !m.isIn(string(out)) || !crashed && soak.ProcessState.ExitCode() != 1 {
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

// command runs a soak with the same number of processors everywhere: with more there are
// more stripes in the queue, and fewer of them are ever deep.
func command(program string, args ...string) *exec.Cmd {
	soak := exec.Command(program, args...)
	soak.Env = append(soak.Environ(), "GOMAXPROCS=4")
	return soak
}

func assertLoadFinds(t *testing.T, program string) {
	t.Helper()
	load := command(program, "-load", "30000", "-patience", "3s")
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
