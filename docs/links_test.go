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

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchor  = regexp.MustCompile(`\]\(([^)"#\s]*\.md|)#([^)\s]+)\)`)
)

func TestLinkedSectionsExist(t *testing.T) {
	for _, pattern := range []string{"../*.md", "*.md", "../*/README.md", "../*/*/README.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			for _, match := range anchor.FindAllStringSubmatch(contents(t, file)[0], -1) {
				linked := file
				if match[1] != "" {
					linked = filepath.Join(filepath.Dir(file), match[1])
				}
				assert.Contains(t, sections(contents(t, linked)[0]), match[2], "%s links to %s", file, linked)
			}
		}
	}
}

// sections returns the anchors that GitHub gives to the headings: lower case, hyphens for spaces, no punctuation.
func sections(markdown string) (anchors []string) {
	for _, match := range heading.FindAllStringSubmatch(markdown, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		anchors = append(anchors, strings.ReplaceAll(name, " ", "-"))
	}
	return anchors
}

// A reader finds a recipe by need in docs/choosing.md or docs/migrating.md, and in the package's list.
func TestRecipesAreListed(t *testing.T) {
	recipes, err := filepath.Glob("../examples/recipes/*_test.go")
	require.NoError(t, err)
	byNeed := strings.Join(contents(t, "choosing.md", "migrating.md"), "")
	for _, recipe := range recipes {
		if name := filepath.Base(recipe); strings.Contains(contents(t, recipe)[0], "\nfunc Example_") {
			assert.Contains(t, byNeed, "recipes/"+name)
			assert.Contains(t, contents(t, "../examples/recipes/doc.go")[0], "//   - "+name)
		}
	}
}
