package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root     = "../.."
	recorded = "api/0.4.0.txt"
)

func TestAPIIsTheRecordedOne(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, recorded))
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	got := describe(root)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("gone from the code: %s", line)
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

func TestDescriptionHasFieldsMethodsAndTypeParameters(t *testing.T) {
	got := describe(root)
	for _, line := range []string{
		"pkg hashedwheel, var ErrFull",
		"pkg hashedwheel, const Pending",
		"pkg hashedwheel, func (t *Timeout) Reset(d time.Duration) bool",
		"pkg hashedwheel, type Stats struct, Lateness []LatenessBucket",
		"pkg hashedwheel, type Task interface, Run(to *Timeout)",
		"pkg hashedwheel, type TaskFunc func(to *Timeout)",
		"pkg keyed, type Map[K comparable, V any] struct",
		"pkg wheeltime, type Timer struct, C <-chan time.Time",
		"pkg idle, type Conn struct, embedded net.Conn",
	} {
		assert.Contains(t, got, line)
	}
	for _, line := range got {
		assert.NotRegexp(t, `, (worker|room|queue) `, line, "not exported")
	}
}
