package mistakes

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const library = "github.com/hashedwheel/hashedwheel"

// helpersFile is added to the library: inserted code calls it.
const helpersFile = "seeded_mistakes.go"

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

// stall is where a goroutine may lose its processor, for less than the linger, in a bubble.
func stall() {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.IntN(49)) * time.Millisecond)
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
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", library)
	list.Stderr = os.Stderr
	root, err := list.Output()
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

// newOverlay applies edits to the library in root, and writes the changed files and the overlay to dir.
func newOverlay(root, dir string, edits, wide []Edit) (overlay string, err error) {
	code, err := read(root)
	if err != nil {
		return "", err
	}
	changed, err := code.apply(edits, wide)
	if err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for name, text := range changed {
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}
