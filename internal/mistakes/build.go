// Package mistakes contains changes of the library's source, applied by an overlay of the go command: the seeded
// mistakes, which break a promise, each with the test that finds it; wide windows for races; and the handicap of a slow
// worker.
package mistakes

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Edit replaces a fragment of a function. The function must contain it exactly once, including line breaks and tabs.
type Edit struct {
	In  string // how the function's declaration begins, without func, such as "(t *Timeout) cancel("
	Old string
	New string // if empty, the fragment is removed
}

// helpers is a file that is added to the library: inserted code calls it.
const helpers = `package hashedwheel

import (
	"math/rand/v2"
	"runtime"
	"time"
)

func spend(d time.Duration) {
	for begun := time.Now(); time.Since(begun) < d; {
	}
}

// window is where another goroutine may come between.
func window() {
	switch n := rand.Uint32(); n % 8 {
	case 0, 1:
		runtime.Gosched()
	case 2:
		for range n >> 20 { // up to some microseconds
		}
	}
}
`

// PrintOverlay prints the name of an overlay for the go command, which puts the edited library in place of the library.
// It is in a new temporary folder, where go test must find it later.
func PrintOverlay(edits ...Edit) {
	const library = "github.com/hashedwheel/hashedwheel"
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", library).Output()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		log.Fatal(err)
	}
	overlay, err := newOverlay(strings.TrimSpace(string(root)), dir, edits, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(overlay)
}

// newOverlay applies edits to the library in root, and writes the changed files and the overlay to dir. The edits of
// wide apply where the others have not changed the code.
func newOverlay(root, dir string, edits, wide []Edit) (overlay string, err error) {
	paths, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		return "", err
	}
	texts := make(map[string]string)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(path, "_test.go") {
			texts[path] = string(text)
		}
	}
	changed := map[string]string{filepath.Join(root, "seeded_mistakes.go"): helpers}
	for i, e := range slices.Concat(edits, wide) {
		path, text := e.apply(texts)
		switch {
		case path != "":
			texts[path], changed[path] = text, text
		case i < len(edits) || len(edits) == 0:
			return "", fmt.Errorf("%q is not in %s exactly once", e.Old, e.In)
		}
	}
	replace := make(map[string]string)
	for path, text := range changed {
		replace[path] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// apply returns the file that the edit changes and its new text. The path is empty if the edit does not apply.
func (e Edit) apply(texts map[string]string) (path, text string) {
	for path, text := range texts {
		before, after, found := strings.Cut(text, "\nfunc "+e.In)
		if !found {
			continue
		}
		body, after, _ := strings.Cut(after, "\n}\n")
		if strings.Count(body, e.Old) != 1 {
			return "", ""
		}
		return path, before + "\nfunc " + e.In + strings.Replace(body, e.Old, e.New, 1) + "\n}\n" + after
	}
	return "", ""
}
