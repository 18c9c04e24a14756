// Package overlay contains changes of the library's source, applied by an overlay of the go command: wide windows for
// races, and the handicap of a slow worker.
package overlay

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Edit replaces a fragment of a function. The function must contain it exactly once, including line breaks and tabs.
type Edit struct {
	In  string // how the function's declaration begins, without func, such as "(t *Timeout) cancel("
	Old string
	New string
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

// Print prints the name of an overlay for the go command, which puts the edited library in place of the library.
// It is in a new temporary folder, where go test must find it later.
func Print(edits ...Edit) {
	const library = "github.com/hashedwheel/hashedwheel"
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", library).Output()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		log.Fatal(err)
	}
	overlay, err := write(strings.TrimSpace(string(root)), dir, edits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(overlay)
}

// write applies edits to the library in root, and writes the changed files and the overlay to dir.
func write(root, dir string, edits []Edit) (overlay string, err error) {
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
	changed := map[string]string{filepath.Join(root, "overlay_helpers.go"): helpers}
	for _, e := range edits {
		path, text := e.apply(texts)
		if path == "" {
			return "", fmt.Errorf("%q is not in %s exactly once", e.Old, e.In)
		}
		texts[path], changed[path] = text, text
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
