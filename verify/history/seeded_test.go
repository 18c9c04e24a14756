package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foundByLibrary is its panic at a Timeout that is queued and does not say so, or
// is not where it was left.
const foundByLibrary = "was copied or overwritten after it was armed"

func TestSeededMistakesAreFound(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			program, err := build(dir, append(wide[:len(wide):len(wide)], m.edits...)...)
			require.NoError(t, err)
			begun := time.Now()
			var out strings.Builder
			exitCode, err := runProgram(&out, program, "-for", "20s", "-patience", "500ms", "-kind", m.kind, "-html", filepath.Join(dir, "found.html"))
			require.NoError(t, err)
			took := time.Since(begun).Round(time.Millisecond)
			if strings.Contains(out.String(), foundByLibrary) {
				t.Logf("found in %v by the library itself", took)
				return
			}
			require.Equal(t, 1, exitCode, "%s", &out)
			assert.Contains(t, out.String(), "VIOLATION")
			t.Logf("found in %v: %v", took, finding(out.String()))
		})
	}
}

// finding returns what a violation is, in a line.
func finding(out string) string {
	_, found, _ := strings.Cut(out, "VIOLATION")
	_, found, _ = strings.Cut(found, "\n")
	if line, _, _ := strings.Cut(found, "\n"); line != "" {
		return line
	}
	return "no order"
}
