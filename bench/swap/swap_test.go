package swap

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// module writes a module with the named files and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.25\n"
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath") // copies of the wheel in different folders are compiled once
	return dir
}

// swapped swaps a module of one file, checks that it compiles, and returns the new text and the report.
func swapped(t *testing.T, text string) (string, *Report) {
	t.Helper()
	dir := module(t, map[string]string{"m.go": text})
	r, err := Swap(dir, Options{})
	must(t, err)
	empty(t, r.Warning)
	compiles(t, dir)
	return read(t, dir, "m.go"), r
}

func must(t *testing.T, err error, more ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err, strings.Join(more, "\n"))
	}
}

func equal[T any](t *testing.T, want, got T) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("want %v\ngot  %v", want, got)
	}
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("no %q in\n%s", part, text)
	}
}

func lacks(t *testing.T, text, part string) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Fatalf("%q in\n%s", part, text)
	}
}

func noMatch(t *testing.T, pattern, text string) {
	t.Helper()
	if found := regexp.MustCompile(pattern).FindString(text); found != "" {
		t.Fatalf("%q in\n%s", found, text)
	}
}

func length[T any](t *testing.T, list []T, n int) {
	t.Helper()
	if len(list) != n {
		t.Fatalf("want %d, got %d: %v", n, len(list), list)
	}
}

func empty[T any](t *testing.T, list []T) {
	t.Helper()
	length(t, list, 0)
}

func noFolder(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Fatalf("%s exists", name)
	}
}

func compiles(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"vet", "-copylocks=false"}, args...), "./...")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	must(t, err, string(out))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(text)
}

func names(sites []Site) (names []string) {
	for _, s := range sites {
		names = append(names, s.Name)
	}
	return names
}

func TestSwapReplacesFunctionsAndTypes(t *testing.T) {
	text, r := swapped(t, `package m // a comment

import "time"

type conn struct {
	idle *time.Timer // stays aligned
	beat *time.Ticker
}

func f(c *conn) {
	c.idle = time.AfterFunc(time.Second, func() {})
	c.idle = time.NewTimer(time.Second)
	c.beat = time.NewTicker(time.Second)
	<-time.After(time.Second)
	<-time.Tick(time.Second)
	time.Sleep(time.Second)
}
`)
	empty(t, r.Left)
	length(t, r.Swapped, 8)
	noMatch(t, `time\.(AfterFunc|New|After|Tick|Sleep|Timer)`, strings.ReplaceAll(text, "hashedwheelSwap.", ""))
	contains(t, text, "\tidle *hashedwheelSwap.Timer // stays aligned\n")
	equal(t, Site{"m.go", 6, "time.Timer", ""}, r.Swapped[0])
}

func TestSwapRunsOnTheWheel(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.20\n", "main.go": `package main

import (
	"fmt"
	"time"
)

func main() {
	t := time.AfterFunc(time.Hour, func() {})
	fmt.Printf("%T %v\n", t, t.Stop())
}
`})
	_, err := Swap(dir, Options{})
	must(t, err)
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	must(t, err, string(out))
	equal(t, "*wheeltime.Timer true\n", string(out))
}

func TestSwapImportUsedByNothingElseCompiles(t *testing.T) {
	text, _ := swapped(t, "package m\n\nimport clock \"time\"\n\nfunc f() { clock.Sleep(1) }\n")
	contains(t, text, "func f() { hashedwheelSwap.Sleep(1) }")
}

func TestSwapDotImport(t *testing.T) {
	text, r := swapped(t, `package m

import . "time"

var t *Timer = AfterFunc(Second, func() { Sleep(1) })
`)
	empty(t, r.Left)
	contains(t, text, "var t *hashedwheelSwap.Timer = hashedwheelSwap.AfterFunc(Second, func() { hashedwheelSwap.Sleep(1) })")
}

func TestSwapShadowedNameStays(t *testing.T) {
	text, r := swapped(t, `package m

import "time"

type fake struct{}

func (fake) Sleep(time.Duration) {}

func f(time fake) { time.Sleep(1) }

func AfterFunc() {}

func g() { AfterFunc(); time.Sleep(1) }
`)
	equal(t, []string{"time.Sleep"}, names(r.Swapped))
	contains(t, text, "func f(time fake) { time.Sleep(1) }")
	contains(t, text, "func g() { AfterFunc(); hashedwheelSwap.Sleep(1) }")
}

func TestSwapFunctionAndMethodValues(t *testing.T) {
	text, r := swapped(t, `package m

import "time"

var after = time.AfterFunc

var stop = (*time.Timer).Stop

func f() func() bool {
	t := after(1, nil)
	stop(t)
	return t.Stop
}
`)
	empty(t, r.Left)
	contains(t, text, "var after = hashedwheelSwap.AfterFunc")
	contains(t, text, "var stop = (*hashedwheelSwap.Timer).Stop")
}

func TestSwapEmbeddedPointer(t *testing.T) {
	text, r := swapped(t, `package m

import "time"

type timer struct{ *time.Timer }

func f() bool { t := timer{Timer: time.NewTimer(1)}; return t.Timer.Stop() && t.Stop() }
`)
	empty(t, r.Left)
	contains(t, text, "timer{Timer: hashedwheelSwap.NewTimer(1)}")
}

func TestSwapEmbeddedValueStays(t *testing.T) {
	_, r := swapped(t, `package m

import "time"

type timer struct{ time.Timer }

func f() *timer { t := timer{*time.NewTimer(1)}; return &t }

func g() { time.AfterFunc(1, nil) }
`)
	equal(t, []string{"time.AfterFunc"}, names(r.Swapped))
	equal(t, []string{"time.Timer", "time.NewTimer"}, names(r.Left))
}

// A timer handed to another package stays, with the field it comes from and the constructor that fills the field.
func TestSwapTimerOfOtherPackageStays(t *testing.T) {
	dir := module(t, map[string]string{
		"other/go.mod": "module example.com/other\n\ngo 1.25\n",
		"other/o.go":   "package other\n\nimport \"time\"\n\nfunc Drain(t *time.Timer) {}\n",
		"go.mod":       "module example.com/m\n\ngo 1.25\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n",
		"m.go": `package m

import (
	"time"

	"example.com/other"
)

type a struct{ t *time.Timer }

type b struct{ t *time.Timer }

func f(x *a, y *b) {
	x.t = time.NewTimer(1)
	y.t = time.NewTimer(2)
	other.Drain(x.t)
}
`,
	})
	r, err := Swap(dir, Options{})
	must(t, err)
	compiles(t, dir)
	length(t, r.Left, 2)
	equal(t, "m.go:9: time.Timer: crosses into example.com/other.Drain", r.Left[0].String())
	equal(t, "m.go:14: time.NewTimer: crosses into example.com/other.Drain", r.Left[1].String())
	length(t, r.Swapped, 2)
}

// Timers in interface values are swapped together, or not at all.
func TestSwapTimersOutOfInterfacesStayTogether(t *testing.T) {
	_, r := swapped(t, `package m

import (
	"sync"
	"time"
)

var pool sync.Pool

func get() *time.Timer {
	switch t := pool.Get().(type) {
	case *time.Timer:
		return t
	}
	return time.NewTimer(1)
}

func other() { pool.Get().(*time.Timer).Stop() }
`)
	empty(t, r.Left)

	_, r = swapped(t, `package m

import (
	"sync"
	"time"
)

var pool sync.Pool

func get() { pool.Get().(*time.Timer).Stop() }

func copied() { t := *time.NewTimer(1); pool.Put(&t) }
`)
	empty(t, r.Swapped)
	length(t, r.Left, 2)
}

func TestSwapInterfaceAndItsImplementation(t *testing.T) {
	_, r := swapped(t, `package m

import "time"

type clock interface {
	AfterFunc(time.Duration, func()) *time.Timer
}

type real struct{}

func (real) AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

var c clock = real{}

var all []*time.Timer

type list []*time.Timer

func f() { all = append(list(all), c.AfterFunc(1, nil)) }

func g[T any](v *T) *T { return v }

func h() *time.Timer { return g[time.Timer](all[0]) }
`)
	empty(t, r.Left)
}

func TestSwapListsContextsAndDeadlines(t *testing.T) {
	_, r := swapped(t, `package m

import (
	"context"
	"net"
	"time"
)

func f(c net.Conn) {
	_, cancel := context.WithTimeout(context.Background(), 1)
	cancel()
	c.SetReadDeadline(time.Time{})
}
`)
	equal(t, []string{"context.WithTimeout", "SetReadDeadline"}, names(r.Left))
}

func TestSwapBuildTags(t *testing.T) {
	files := map[string]string{
		"a.go": "package m\n\nimport \"time\"\n\nvar t *time.Timer\n",
		"b.go": "//go:build special\n\npackage m\n\nimport \"time\"\n\nfunc f() { t = time.NewTimer(1) }\n",
		"c.go": "//go:build !special\n\npackage m\n\nimport \"time\"\n\nfunc f() { t = time.NewTimer(2) }\n",
	}
	dir := module(t, files)
	r, err := Swap(dir, Options{})
	must(t, err)
	equal(t, []string{"b.go"}, r.Ignored)
	equal(t, files["b.go"], read(t, dir, "b.go"))
	compiles(t, dir)

	dir = module(t, files)
	r, err = Swap(dir, Options{Flags: []string{"-tags=special"}})
	must(t, err)
	equal(t, []string{"c.go"}, r.Ignored)
	compiles(t, dir, "-tags=special")
}

func TestSwapTestFiles(t *testing.T) {
	dir := module(t, map[string]string{
		"m.go":       "package m\n\nimport \"time\"\n\nfunc New() *time.Timer { return time.NewTimer(1) }\n\ntype T struct{ Timer *time.Timer }\n",
		"in_test.go": "package m\n\nimport \"time\"\n\nfunc use() { var t *time.Timer = New(); t.Stop(); time.Sleep(1) }\n",
		"x_test.go":  "package m_test\n\nimport (\n\t\"time\"\n\n\t\"example.com/m\"\n)\n\nvar _ = m.T{Timer: time.NewTimer(1)}\n",
	})
	r, err := Swap(dir, Options{})
	must(t, err)
	compiles(t, dir)
	length(t, r.Swapped, 5)
	length(t, r.Left, 1)
	equal(t, "in_test.go:5: time.Sleep: a test's sleep", r.Left[0].String())
}

// A package that the patterns leave out keeps its timers, and the timers that it shares with others.
func TestSwapPatternsLimitWhatIsSwapped(t *testing.T) {
	dir := module(t, map[string]string{
		"low/l.go":  "package low\n\nimport \"time\"\n\nvar T = time.NewTimer(1)\n",
		"high/h.go": "package high\n\nimport (\n\t\"time\"\n\n\t\"example.com/m/low\"\n)\n\nfunc f() { low.T = time.NewTimer(1); time.AfterFunc(1, nil) }\n",
	})
	r, err := Swap(dir, Options{Patterns: []string{"./high"}})
	must(t, err)
	compiles(t, dir)
	equal(t, []string{"time.AfterFunc"}, names(r.Swapped))
	equal(t, []string{"time.NewTimer"}, names(r.Left))
}

func TestPlanChangesNothing(t *testing.T) {
	text := "package m\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n"
	dir := module(t, map[string]string{"m.go": text})
	r, err := Plan(dir, Options{})
	must(t, err)
	length(t, r.Swapped, 1)
	equal(t, text, read(t, dir, "m.go"))
	noFolder(t, filepath.Join(dir, Package))
}

func TestSwapVendoredModule(t *testing.T) {
	dir := module(t, map[string]string{
		"vendor/modules.txt":            "# example.com/other v1.0.0\n## explicit; go 1.25\nexample.com/other\n",
		"vendor/example.com/other/o.go": "package other\n\nfunc F() {}\n",
		"go.mod":                        "module example.com/m\n\ngo 1.25\n\nrequire example.com/other v1.0.0\n",
		"m.go":                          "package m\n\nimport (\n\t\"time\"\n\n\t\"example.com/other\"\n)\n\nfunc f() { other.F(); time.Sleep(1) }\n",
	})
	_, err := Swap(dir, Options{})
	must(t, err)
	compiles(t, dir)
}

func TestSwapLeavesFilesWithCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	dir := module(t, map[string]string{
		"c.go": "package m\n\n// int one(void) { return 1; }\nimport \"C\"\n\nimport \"time\"\n\nvar T = time.NewTimer(time.Duration(C.one()))\n\nfunc f() { time.Sleep(1) }\n",
		"m.go": "package m\n\nimport \"time\"\n\nfunc g() { T = time.NewTimer(1); time.Sleep(1) }\n",
	})
	r, err := Swap(dir, Options{})
	must(t, err)
	compiles(t, dir)
	equal(t, []string{"time.Sleep"}, names(r.Swapped))
	length(t, r.Left, 3)
}

func TestCopyMakesPathsAbsolute(t *testing.T) {
	dir := module(t, map[string]string{
		"other/go.mod": "module example.com/other\n\ngo 1.25\n",
		"m/go.mod":     "module example.com/m\n\ngo 1.25\n\nreplace example.com/other => ../other\n",
		"m/.git/HEAD":  "version control",
		"m/data":       "data",
		"go.work":      "go 1.25\n\nuse (\n\t./m\n\t./other\n)\n",
	})
	must(t, os.Symlink("../go.work", filepath.Join(dir, "m", "link")))
	t.Setenv("GOWORK", "")
	to := filepath.Join(t.TempDir(), "copy")
	env, err := Copy(to, filepath.Join(dir, "m"))
	must(t, err)
	contains(t, read(t, to, "go.mod"), "replace example.com/other => "+filepath.Join(dir, "other"))
	equal(t, "data", read(t, to, "data"))
	equal(t, read(t, dir, "go.work"), read(t, to, "link"))
	noFolder(t, filepath.Join(to, ".git"))
	equal(t, []string{"GOWORK=" + to + ".work"}, env)
	work := read(t, to+".work", "")
	contains(t, work, to+"\n")
	contains(t, work, filepath.Join(dir, "other"))
	lacks(t, work, filepath.Join(dir, "m")+"\n")
}

func TestSharesOfProfile(t *testing.T) {
	function := map[string]*profile.Function{}
	sample := func(ms int64, frames ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{1, ms * 1e6}}
		for _, name := range frames {
			function[name] = &profile.Function{Name: name}
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: function[name]}}})
		}
		return s
	}
	var s Shares
	s.add(&profile.Profile{Sample: []*profile.Sample{
		sample(20, "runtime.(*timers).run", "runtime.findRunnable"),
		sample(30, "time.AfterFunc", "context.WithDeadline", "main.f"),
		sample(40, "internal/poll.setDeadlineImpl", "main.f"),
		sample(10, "main.f"),
	}})
	equal(t, Shares{Timers: 90e6, Contexts: 30e6, Deadlines: 40e6, Total: 100 * time.Millisecond}, s)
}

func TestTimerFrames(t *testing.T) {
	for _, frame := range []string{"time.NewTimer", "time.(*Timer).Reset", "runtime.(*timer).modify", "runtime.(*timers).check", "time.goFunc", "runtime.timeSleep"} {
		equal(t, true, timerFrame.MatchString(frame))
	}
	for _, frame := range []string{"time.Now", "time.Time.Sub", "runtime.schedule", "main.(*Timer).Reset", "time.AfterFuncs"} {
		equal(t, false, timerFrame.MatchString(frame))
	}
}

// A module with many ways to hold a timer is swapped completely, and compiles.
func TestSwapTimersInManyShapes(t *testing.T) {
	_, r := swapped(t, `package m

import (
	"sync/atomic"
	"time"
)

type Alias = time.Timer

type holder struct {
	p    atomic.Pointer[time.Timer]
	all  map[string]chan *time.Timer
	make func(time.Duration, ...*time.Timer) (*time.Timer, bool)
	*Alias
}

type maker interface{ Make() []*time.Timer }

type pair[A, B any] struct {
	a A
	b B
}

type named func() *time.Timer

func (n named) Make() []*time.Timer { return []*time.Timer{n()} }

func newHolder() (h *holder, err error) {
	h = &holder{all: map[string]chan *time.Timer{}, Alias: time.NewTimer(1)}
	h.make = func(d time.Duration, more ...*time.Timer) (*time.Timer, bool) {
		if len(more) > 0 {
			return more[0], false
		}
		return time.NewTimer(d), true
	}
	h.p.Store(time.AfterFunc(1, func() {}))
	return
}

func f(h *holder, m maker) {
	for _, c := range h.all {
		select {
		case t := <-c:
			defer t.Stop()
		case c <- h.p.Load():
		case <-h.C:
		}
	}
	x := pair[*time.Timer, *time.Ticker]{m.Make()[0], time.NewTicker(1)}
	x.b.Reset(1)
	if t, ok := h.make(1, x.a); ok && t != nil {
		h.p.Swap(t)
	}
	var other struct{ t *time.Timer } = struct{ t *time.Timer }{x.a}
	go func(t *time.Timer) { t.Reset(1) }(other.t)
	var v any = other.t
	switch t := v.(type) {
	case *time.Timer, *time.Ticker:
		_ = t
	case interface{ Stop() bool }:
		t.Stop()
	case nil:
	}
	var _ maker = named(func() *time.Timer { return x.a })
}
`)
	empty(t, r.Left)
}

func TestSwapAliasOfOtherPackageStays(t *testing.T) {
	dir := module(t, map[string]string{
		"other/go.mod": "module example.com/other\n\ngo 1.25\n",
		"other/o.go":   "package other\n\nimport \"time\"\n\ntype Timer = time.Timer\n\ntype Timers []*time.Timer\n\ntype Clock interface{ NewTimer() *time.Timer }\n",
		"go.mod":       "module example.com/m\n\ngo 1.25\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n",
		"m.go": `package m

import (
	"time"

	"example.com/other"
)

type T struct {
	a *other.Timer
	b other.Timers
	c *time.Ticker
}

type clock struct{}

func (clock) NewTimer() *time.Timer { return time.NewTimer(1) }

var _ other.Clock = clock{}

func f(t *T) {
	t.a = time.NewTimer(1)
	t.b = append(t.b, time.NewTimer(2))
	t.c = time.NewTicker(1)
}
`,
	})
	r, err := Swap(dir, Options{})
	must(t, err)
	compiles(t, dir)
	equal(t, []string{"time.Ticker", "time.NewTicker"}, names(r.Swapped))
}
