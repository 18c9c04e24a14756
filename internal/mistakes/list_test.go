package mistakes

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

func readLibrary(t *testing.T) Source {
	t.Helper()
	s, err := Read(root)
	require.NoError(t, err)
	return s
}

// A failure names the texts of list.go that need to match new code.
func TestEveryEditApplies(t *testing.T) {
	s := readLibrary(t)
	for _, m := range List {
		_, err := s.ApplyWide(m.Edits...)
		assert.NoError(t, err, m.Name)
	}
}

func TestEveryMistakeHasAFinder(t *testing.T) {
	names := make(map[string]bool)
	for _, m := range List {
		assert.False(t, names[m.Name], "two are called %q", m.Name)
		names[m.Name] = true
		assert.True(t, (m.Kind == "") != (m.Test == ""), "%q: either a kind of history or a test", m.Name)
	}
}

// verify/history has the same test for the mistakes that a kind of history finds.
func TestSeededMistakesAreFoundByTheirTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mistake")
	}
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	s := readLibrary(t)
	for _, m := range List {
		folder, name, ok := strings.Cut(m.Test, " ")
		if !ok {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			changed, err := s.Apply(m.Edits...)
			require.NoError(t, err)
			overlay, err := WriteOverlay(changed, at, t.TempDir())
			require.NoError(t, err)
			test := exec.Command("go", "test", "-overlay", overlay, "-tags", "small", "-vet=off", "-timeout", "100s",
				"-run", "^"+name+"$", folder)
			test.Dir = root
			out, err := test.CombinedOutput()
			require.Error(t, err, "%s", out)
			assert.Contains(t, string(out), "--- FAIL: "+name)
		})
	}
}

// sourceOf is a package of one file.
func sourceOf(t *testing.T, text string) Source {
	t.Helper()
	f, err := newFile("a.go", text)
	require.NoError(t, err)
	return Source{f}
}

func TestEditOfAnAmbiguousFragmentIsRefused(t *testing.T) {
	s := sourceOf(t, "package a\n\ntype b[T any] struct{}\n\nfunc (x *b[T]) f() { g() }\n\nfunc f() { g() }\n")
	_, err := s.Apply(Edit{Old: "g()"})
	require.ErrorContains(t, err, "in 2 places")
	assert.ErrorContains(t, err, "b.f (a.go)")
	_, err = s.Apply(Edit{Old: "h()"})
	require.ErrorContains(t, err, "in 0 places")
	changed, err := s.Apply(Edit{In: "b.f", Old: "g()", New: "h()"})
	require.NoError(t, err)
	assert.Contains(t, changed["a.go"], "f() { h() }\n\nfunc f() { g() }")
}

func TestEditsThatOverlapAreRefused(t *testing.T) {
	s := sourceOf(t, "package a\n\nfunc f() { g(1, 2) }\n")
	_, err := s.Apply(Edit{Old: "g(1"}, Edit{Old: "1, 2"})
	assert.ErrorContains(t, err, "overlaps")
	changed, err := s.Apply(Edit{Old: "1", New: "3"}, Edit{Old: "g", New: "h"}, Edit{Old: "2", New: "4"})
	require.NoError(t, err)
	assert.Contains(t, changed["a.go"], "h(3, 4)")
}
