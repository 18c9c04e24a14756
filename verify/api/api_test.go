package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root     = "../.."
	recorded = "api/0.6.0.txt"
)

func TestAPIMatchesTheRecord(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, recorded))
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	got := describe(root)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing from the code: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not in %s: %s", recorded, line)
		}
	}
	if t.Failed() {
		t.Logf(`The API is frozen. To change it on purpose, write it down again by

	go run ./verify/api > %s

and give the reason in CHANGELOG.md; CONTRIBUTING.md has the rest.`, recorded)
	}
}
