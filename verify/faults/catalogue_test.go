package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFaultCatalogueIsComplete compares docs/faults.md with the tests: every
// TestFault… of this folder is in it, and every test that it names exists.
func TestFaultCatalogueIsComplete(t *testing.T) {
	catalogue, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	here, everywhere := testsIn(t, "*_test.go"), testsIn(t, "../*/*_test.go", "../../*/*_test.go")
	named := map[string]bool{"TestFaultCatalogueIsComplete": true}
	for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(catalogue, -1) {
		named[string(name[1])] = true
		assert.True(t, everywhere[string(name[1])], "there is no %s", name[1])
	}
	for name := range here {
		assert.True(t, named[name] || !strings.HasPrefix(name, "TestFault"), "%s is missing", name)
	}
}

// testsIn returns the names of the tests in the files that match one of the patterns.
func testsIn(t *testing.T, patterns ...string) map[string]bool {
	var files []string
	for _, pattern := range patterns {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, some...)
	}
	tests := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
	}
	return tests
}
