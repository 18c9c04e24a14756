package hashedwheel_test

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeCodeIsCompiled holds the README to the examples: what it shows is
// code that is compiled and run by go test.
func TestReadmeCodeIsCompiled(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := goBlocks(string(readme))
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		assert.True(t, strings.Contains(unindented(string(examples)), unindented(block)), "not in an example:\n%s", block)
	}
}

// unindented drops each line's indentation: an example's body is one tab deeper.
func unindented(code string) string {
	lines := strings.Split(code, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// TestDocsCodeIsFormatted parses what the documents show; their blocks are parts
// of programs.
func TestDocsCodeIsFormatted(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		for _, block := range goBlocks(string(text)) {
			formatted, err := format.Source([]byte(block))
			require.NoError(t, err, "%s:\n%s", doc, block)
			assert.Equal(t, block, string(formatted), doc)
		}
	}
}

func goBlocks(markdown string) (blocks []string) {
	for _, match := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(markdown, -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}
