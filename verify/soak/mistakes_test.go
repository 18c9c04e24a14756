package main

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/mistakes"
)

var withMistakes = flag.Bool("mistakes", false, "build the library with each mistake, and see that it is found: some minutes")

func TestEveryMistakeIsFound(t *testing.T) {
	if !*withMistakes {
		t.Skip("asked for by -mistakes")
	}
	for _, m := range mistakes.List {
		if m.Soak == nil {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			duration := "9s" // ends as soon as it is found
			if m.AtTheEnd {
				duration = "3s"
			}
			program := build(t, m)
			soak := command(program, "-for", duration, "-life", "1s", "-pending", "5000", "-seed", "1", "-patience", "3s")
			out, err := soak.CombinedOutput()
			crashed := strings.Contains(string(out), mistakes.Misuse) // else soak has found it
			if err == nil || !isFound(m, string(out)) || !crashed && soak.ProcessState.ExitCode() != 1 {
				t.Errorf("soak ended with %v, without one of %q:\n%s", err, m.Soak, out)
			}
			_, verdict, _ := strings.Cut(string(out), "BALANCE:\n")
			t.Log("\n" + verdict)
			if m.UnderLoad {
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

func isFound(m mistakes.Mistake, out string) bool {
	for _, want := range m.Soak {
		if strings.Contains(out, want) {
			return true
		}
	}
	return false
}

// build returns a soak that is built with the mistake.
func build(t *testing.T, m mistakes.Mistake) (program string) {
	t.Helper()
	p := mistakes.Program{Package: ".", Edits: m.Edits}
	if m.Small {
		p.Tags = "small"
	}
	program, err := p.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return program
}
