package wheels

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the drawings, and print the tables")

// TestDrawingsShowWhatTheDesignsDo makes the drawings and the tables again.
func TestDrawingsShowWhatTheDesignsDo(t *testing.T) {
	all, err := Drawings()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for _, d := range all {
			if err := os.WriteFile(d.File, []byte(d.SVG()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := read(t, "..", "timing-wheels.md")
	for _, d := range all {
		if read(t, d.File) != d.SVG() {
			t.Errorf("docs/wheels/%s is out of date", d.File)
		}
		if !strings.Contains(text, "](wheels/"+d.File+")") {
			t.Errorf("docs/timing-wheels.md does not show wheels/%s", d.File)
		}
	}
	if !strings.Contains(text, Table(all)) {
		t.Errorf("the table of visits in docs/timing-wheels.md should be\n%s", Table(all))
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
