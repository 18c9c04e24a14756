package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/mistakes"
)

func TestSeededMistakesAreFound(t *testing.T) {
	for _, m := range mistakes.List {
		if m.Kind == "" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			program, err := wide(m.Edits...).Build(t.TempDir())
			require.NoError(t, err)
			begun := time.Now()
			var out strings.Builder
			exitCode, err := runProgram(&out, program, "-for", "1m", "-patience", "500ms",
				"-kind", strings.TrimPrefix(m.Kind, mistakes.Any))
			require.NoError(t, err)
			took := time.Since(begun).Round(time.Millisecond)
			if strings.Contains(out.String(), mistakes.Misuse) {
				t.Logf("found in %v by the library itself", took)
				return
			}
			require.Equal(t, 1, exitCode, "%s", &out)
			assert.Contains(t, out.String(), "VIOLATION")
			t.Logf("found in %v: %v", took, finding(out.String()))
		})
	}
}

// finding describes a violation in a line.
func finding(out string) string {
	_, found, _ := strings.Cut(out, "VIOLATION")
	_, found, _ = strings.Cut(found, "\n")
	if line, _, _ := strings.Cut(found, "\n"); line != "" {
		return line
	}
	return "no order"
}
