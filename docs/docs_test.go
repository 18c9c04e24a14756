// Package docs compiles and tests the code that the documents show.
package docs

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hashedwheel/hashedwheel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestShownCodeIsCompiled checks that the code in the documents is gofmt-ed, and is in a test, which go test compiles.
func TestShownCodeIsCompiled(t *testing.T) {
	for documents, tests := range map[string][]string{
		"../README.md": {"../example*_test.go", "../*/example*_test.go"},
		"*.md":         {"*_test.go", "../example*_test.go"},
	} {
		compiled := unindented(strings.Join(contents(t, tests...), "\n"))
		blocks := goBlocks(strings.Join(contents(t, documents), "\n"))
		require.NotEmpty(t, blocks, documents)
		for _, block := range blocks {
			formatted, err := format.Source([]byte(block))
			require.NoError(t, err, block)
			assert.Equal(t, block, string(formatted))
			assert.True(t, strings.Contains(compiled, unindented(block)), "%s: not in %s:\n%s", documents, tests, block)
		}
	}
}

// contents returns the text of each file that matches one of the patterns.
func contents(t *testing.T, patterns ...string) (texts []string) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
	}
	return texts
}

func goBlocks(markdown string) (blocks []string) {
	for _, match := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(markdown, -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}

// unindented drops each line's indentation: statements are shown without the function they stand in.
func unindented(code string) string {
	lines := strings.Split(code, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// As docs/migrating.md shows.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

var (
	_ stopper = (*time.Timer)(nil)
	_ stopper = (*hashedwheel.Timeout)(nil)
)
