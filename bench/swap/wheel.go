package swap

import (
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/hashedwheel/hashedwheel"
)

const wheelModule = "github.com/hashedwheel/hashedwheel"

// AddWheel writes Package, and the sources of the wheel below it, into the module whose root is dir. The copies
// need nothing of the module's go.mod: they carry their Go version as a build constraint.
func AddWheel(dir, module, wheel string) error {
	if wheel == "" {
		pc := reflect.ValueOf(hashedwheel.New).Pointer()
		file, _ := runtime.FuncForPC(pc).FileLine(pc)
		wheel = filepath.Dir(file)
	}
	to, path := filepath.Join(dir, Package), module+"/"+Package
	a := adder{from: wheel, to: to, path: path, done: map[string]bool{}}
	for _, name := range []string{"", "/wheeltime"} {
		if err := a.add(name); err != nil {
			return fmt.Errorf("the sources of the wheel: %w", err)
		}
	}
	text := strings.ReplaceAll(shim, wheelModule, path+"/hashedwheel")
	return os.WriteFile(filepath.Join(to, "swap.go"), []byte(text), 0o644)
}

type adder struct {
	from, to, path string
	done           map[string]bool
}

// add copies a package of the wheel's module, with its imports from that module.
func (a *adder) add(pkg string) error {
	if a.done[pkg] {
		return nil
	}
	a.done[pkg] = true
	files, err := filepath.Glob(filepath.Join(a.from, filepath.FromSlash(pkg), "*.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no Go files in %s", filepath.Join(a.from, filepath.FromSlash(pkg)))
	}
	if err != nil {
		return err
	}
	to := filepath.Join(a.to, "hashedwheel", filepath.FromSlash(pkg))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := a.addFile(name, filepath.Join(to, filepath.Base(name))); err != nil {
			return err
		}
	}
	return nil
}

func (a *adder) addFile(name, to string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	begin := fset.Position(file.Package).Offset
	head, body := string(text[:begin]), string(text[begin:])
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if pkg, ok := strings.CutPrefix(path, wheelModule); ok && (pkg == "" || pkg[0] == '/') {
			body = strings.Replace(body, spec.Path.Value, strconv.Quote(a.path+"/hashedwheel"+pkg), 1)
			if err := a.add(pkg); err != nil {
				return err
			}
		}
	}
	// A build constraint raises the language version of its file above the one of go.mod.
	expr := "go1.25"
	var kept []string
	for line := range strings.Lines(head) {
		if constraint.IsGoBuild(line) {
			expr += " && (" + strings.TrimSpace(strings.TrimPrefix(line, "//go:build")) + ")"
			line = "//\n"
		}
		kept = append(kept, line)
	}
	return os.WriteFile(to, []byte("//go:build "+expr+"\n\n"+strings.Join(kept, "")+body), 0o644)
}

const shim = `//go:build go1.25

// Package hashedwheel has the functions of package time that the rewritten code calls.
package hashedwheel

import (
	"os"
	"time"

	wheel "github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

type (
	Timer  = wheeltime.Timer
	Ticker = wheeltime.Ticker
)

// Wheel holds all timers of the rewritten code.
var Wheel = wheel.MustNew(wheel.WithTick(tick()))

// tick returns the tick from the environment.
func tick() time.Duration {
	text := os.Getenv("HASHEDWHEEL_SWAP_TICK")
	if text == "" {
		return 10 * time.Millisecond
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func AfterFunc(d time.Duration, f func()) *Timer    { return wheeltime.AfterFunc(Wheel, d, f) }
func NewTimer(d time.Duration) *Timer               { return wheeltime.NewTimer(Wheel, d) }
func NewTicker(d time.Duration) *Ticker             { return wheeltime.NewTicker(Wheel, d) }
func After(d time.Duration) <-chan time.Time        { return wheeltime.After(Wheel, d) }
func Sleep(d time.Duration)                         { wheeltime.Sleep(Wheel, d) }

// Tick returns nil for d <= 0, like package time.
func Tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return NewTicker(d).C
}
`
