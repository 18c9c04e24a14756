package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func edited(t *testing.T, text, script string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err := edit(dir, "# why\nfile f\n"+script)
	got, errRead := os.ReadFile(name)
	if errRead != nil {
		t.Fatal(errRead)
	}
	return string(got), err
}

func TestEditChangesAddsAndDeletes(t *testing.T) {
	got, err := edited(t, "1\n2\n3\n4\n5\n", "5d\n3,4c\nc\n# no comment\n.\n# a comment\n1a\na\nb\n.\n0a\nz\n.\n")
	if want := "z\n1\na\nb\n2\nc\n# no comment\n"; err != nil || got != want {
		t.Fatalf("%q, %v; want %q", got, err, want)
	}
}

func TestEditRefusesWhatItCannotDo(t *testing.T) {
	for _, script := range []string{"9d\n", "2,1d\n", "1c\nx\n", "1s/a/b/\n", "xd\n", "d\n", "0d\n"} {
		if got, err := edited(t, "1\n2\n", script); err == nil || got != "1\n2\n" {
			t.Errorf("%q: %q, %v", script, got, err)
		}
	}
}

func TestPortsAreOfPrograms(t *testing.T) {
	ports, err := filepath.Glob("ports/*.ed")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range programs {
		if p.port {
			n++
			if _, err := os.Stat("ports/" + p.name + ".ed"); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat("loads/" + p.name + "/main.go"); err != nil {
			t.Error(err)
		}
	}
	if n != len(ports) {
		t.Errorf("%d programs have a port; ports are %s", n, strings.Join(ports, " "))
	}
}
