package docs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var documents = []string{"../*.md", "*.md"}

func TestNamedTestsExist(t *testing.T) {
	functions := testFunctions(t)
	exists := func(name string) bool {
		if prefix, isPrefix := strings.CutSuffix(name, "…"); isPrefix {
			return regexp.MustCompile("\n" + prefix).MatchString(functions)
		}
		return strings.Contains(functions, "\n"+name+"\n")
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Example)[A-Z]\\w+…?)`")
	eachDocument(t, func(file, text string) {
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			assert.True(t, exists(match[1]), "%s: there is no %s", file, match[1])
		}
	})
}

// testFunctions returns the names of all tests, each on its own line.
func testFunctions(t *testing.T) string {
	var names strings.Builder
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a folder that another package's test has made and removed
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(text, -1) {
			names.WriteString("\n" + string(match[1]) + "\n")
		}
		return err
	})
	require.NoError(t, err)
	return names.String()
}

func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"\s]+)`)
	eachDocument(t, func(file, text string) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			path, anchor, hasAnchor := strings.Cut(match[1], "#")
			target := filepath.Join(filepath.Dir(file), path)
			if path == "" {
				target = file
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s: %s", file, match[1])
			if hasAnchor {
				assert.Contains(t, anchors(t, target), anchor, "%s: %s", file, match[1])
			}
		}
	})
}

// anchors returns the anchors of a document's headings.
func anchors(t *testing.T, file string) (all []string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, match := range heading.FindAllStringSubmatch(string(text), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

func eachDocument(t *testing.T, check func(file, text string)) {
	for _, pattern := range documents {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			check(file, string(text))
		}
	}
}

// TestEachPitfallHasATest checks that each row of pitfalls.md names a test, except in the last table, which says
// that its rows have none.
func TestEachPitfallHasATest(t *testing.T) {
	text, _, hasLast := strings.Cut(contents(t, "pitfalls.md")[0], "\n## Without a test that fails\n")
	require.True(t, hasLast)
	row := regexp.MustCompile(`(?m)^\| .* \|$`)
	named := regexp.MustCompile("`(Test|Fuzz)\\w+`")
	rows := 0
	for _, r := range row.FindAllString(text, -1) {
		if r == "| fault | reported by | test |" {
			continue
		}
		rows++
		assert.Regexp(t, named, r)
	}
	assert.Greater(t, rows, 50)
}

// TestCommandsFindWhatTheyName checks the folders, tests and benchmarks in commands.
func TestCommandsFindWhatTheyName(t *testing.T) {
	command := regexp.MustCompile("(?m)(?:^ *|`)(?:\\w+=\\w+ )?((?:cd [^`\n]+ && )?go (?:test|run|doc) [^`\n#]+)")
	functions, found := testFunctions(t), 0
	eachDocument(t, func(file, text string) {
		for _, match := range command.FindAllStringSubmatch(text, -1) {
			found++
			checkCommand(t, file, match[1], functions)
		}
	})
	assert.Greater(t, found, 5)
}

func checkCommand(t *testing.T, file, command, functions string) {
	dir := ".."
	if change, rest, hasChange := strings.Cut(command, " && "); hasChange {
		dir, command = filepath.Join(dir, strings.TrimPrefix(change, "cd ")), rest
		assert.DirExists(t, dir, "%s: %s", file, command)
	}
	previous := ""
	for _, quoted := range strings.Fields(command) {
		word := strings.Trim(quoted, "'\")")
		switch {
		case strings.HasPrefix(word, "./"):
			_, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(word, "...")))
			assert.NoError(t, err, "%s: %s", file, command)
		case slices.Contains([]string{"-run", "-bench", "-fuzz"}, previous) && word != "^$":
			assert.Regexp(t, `\n\w*(`+word+`)\w*\n`, functions, "%s: %s", file, command)
		}
		previous = word
	}
}
