package wheels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const docs = "../../docs"

// TestTheDrawingsShowWhatTheDesignsDo makes the drawings and the tables again. Where
// they differ, go run ./cmd/wheels writes and prints them. The documents are not in this
// module, so go test does not notice when they alone have changed: -count=1.
func TestTheDrawingsShowWhatTheDesignsDo(t *testing.T) {
	all, err := Drawings(docs)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, "timing-wheels.md")
	for _, d := range all {
		if read(t, "wheels", d.File) != d.SVG() {
			t.Errorf("docs/wheels/%s is out of date", d.File)
		}
		if !strings.Contains(text, "](wheels/"+d.File+")") {
			t.Errorf("docs/timing-wheels.md does not show wheels/%s", d.File)
		}
	}
	if !strings.Contains(text, Table(all)) {
		t.Errorf("the table of visits in docs/timing-wheels.md should be\n%s", Table(all))
	}
	if want := Measured(read(t, "../bench/results/compare.md")); !strings.Contains(text, want) {
		t.Errorf("the table of costs in docs/timing-wheels.md should be\n%s", want)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{docs}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
