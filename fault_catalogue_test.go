package hashedwheel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFaultCatalogueIsComplete compares docs/faults.md with the tests: every
// TestFault… is in it, and every test that it names exists.
func TestFaultCatalogueIsComplete(t *testing.T) {
	catalogue, err := os.ReadFile("docs/faults.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	tests := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
	}
	named := map[string]bool{"TestFaultCatalogueIsComplete": true}
	for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(catalogue, -1) {
		named[string(name[1])] = true
		assert.True(t, tests[string(name[1])], "there is no %s", name[1])
	}
	for name := range tests {
		assert.True(t, named[name] || !regexp.MustCompile("^TestFault").MatchString(name), "%s is missing", name)
	}
}
