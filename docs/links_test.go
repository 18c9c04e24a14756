package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#\s]+)`)

func TestLinkedFilesExist(t *testing.T) {
	for _, pattern := range []string{"../*.md", "*.md", "../*/README.md", "../*/*/README.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, match := range link.FindAllStringSubmatch(string(text), -1) {
				if !strings.Contains(match[1], "://") {
					_, err := os.Stat(filepath.Join(filepath.Dir(file), match[1]))
					assert.NoError(t, err, file)
				}
			}
		}
	}
}

// The documents name tests by which a reader finds them.
func TestNamedTestsExist(t *testing.T) {
	declared := "\n"
	for _, pattern := range []string{"../*_test.go", "../*/*_test.go", "../*/*/*_test.go", "../*/*/*/*_test.go"} {
		for _, text := range contents(t, pattern) {
			for _, match := range regexp.MustCompile(`(?m)^func (\w+)\(`).FindAllStringSubmatch(text, -1) {
				declared += match[1] + "\n"
			}
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Example)[A-Z]\\w+)(…?)`")
	for _, text := range contents(t, "../*.md", "*.md") {
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			name := "\n" + match[1]
			if match[2] == "" {
				name += "\n"
			}
			assert.True(t, strings.Contains(declared, name), "there is no %s", match[1])
		}
	}
}
