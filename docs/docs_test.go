// Package docs compiles and tests the code that the documents show.
package docs

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
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

var (
	link    = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#\s]+)`)
	anchor  = regexp.MustCompile(`\]\(([^)"#\s]*\.md|)#([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

func TestLinkedFilesAndSectionsExist(t *testing.T) {
	for _, pattern := range []string{"../*.md", "*.md", "../*/README.md", "../*/*/README.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text := contents(t, file)[0]
			for _, match := range link.FindAllStringSubmatch(text, -1) {
				if !strings.Contains(match[1], "://") {
					_, err := os.Stat(filepath.Join(filepath.Dir(file), match[1]))
					assert.NoError(t, err, file)
				}
			}
			for _, match := range anchor.FindAllStringSubmatch(text, -1) {
				linked := file
				if match[1] != "" {
					linked = filepath.Join(filepath.Dir(file), match[1])
				}
				assert.Contains(t, sections(contents(t, linked)[0]), match[2], "%s links to %s", file, linked)
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

// sections returns the anchors that GitHub gives to the headings: lower case, hyphens for spaces, no punctuation.
func sections(markdown string) (anchors []string) {
	for _, match := range heading.FindAllStringSubmatch(markdown, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		anchors = append(anchors, strings.ReplaceAll(name, " ", "-"))
	}
	return anchors
}

// A reader finds a recipe by need in docs/choosing.md or docs/migrating.md, and in the lists of all recipes.
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

func TestMemoryOfATimer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 200
	timers := make([]*hashedwheel.Timer, n)
	clock := hashedwheel.NewManualClock(time.Now())
	before := timertest.Heap()
	for i := range timers {
		timers[i] = hashedwheel.MustNew(hashedwheel.WithClock(clock))
	}
	unused := (timertest.Heap() - before) / n
	for _, tm := range timers {
		tm.AfterFunc(time.Minute, func() {})
		tm.AfterFunc(time.Hour, func() {})
	}
	clock.Advance(time.Second)
	used := (timertest.Heap() - before) / n
	t.Logf("a Timer is %d bytes when it is new, %d with far timeouts", unused, used)
	assert.Less(t, unused, int64(37_000))
	assert.Less(t, used, int64(50_000))
	for _, tm := range timers {
		tm.StopAll()
	}
}

func TestAClockThatMovesFurtherThanATimerCounts(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	for range 3 {
		clock.Advance(10 * 365 * 24 * time.Hour)
	}
	ran := false
	tm.AfterFunc(time.Second, func() { ran = true })
	clock.Advance(time.Hour)
	assert.False(t, ran, "never")

	late := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer late.StopAll()
	late.AfterFunc(time.Second, func() { ran = true })
	clock.Advance(time.Hour)
	assert.True(t, ran, "the Timer is made once the clock is set")
}
