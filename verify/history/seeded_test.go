package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
			require.Equal(t, 1, exitCode, "%s", &out)
			assert.Contains(t, out.String(), "VIOLATION")
			t.Logf("found in %v: %v", time.Since(begun).Round(time.Millisecond), finding(out.String()))
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
