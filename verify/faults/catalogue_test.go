package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachFaultIsInTheCatalogue(t *testing.T) {
	catalogue, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (TestFault\w+)`).FindAllSubmatch(source, -1) {
			assert.Contains(t, string(catalogue), "`"+string(match[1])+"`")
		}
	}
}
