package mistakes

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		_, err = s.ApplyStalled(m.Edits...)
		assert.NoError(t, err, m.Name)
	}
}

func TestEveryMistakeHasAName(t *testing.T) {
	names := make(map[string]bool)
	for _, m := range List {
		assert.False(t, names[m.Name], "two are called %q", m.Name)
		names[m.Name] = true
	}
}

// Chaos finds most within a second, and calls that hang after its linger.
func TestSeededMistakesAreFoundByTheirTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mistake")
	}
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	s := readLibrary(t)
	for _, m := range List {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel() // many wait
			folder, name, _ := strings.Cut(cmp.Or(m.Test, chaos), " ")
			args := []string{"-tags", "small", "-vet=off", "-timeout", "100s", "-run", "^" + name + "$", folder}
			apply := s.Apply
			if m.Test == "" {
				apply = s.ApplyWide
				args = append(args, "-chaos", "60s", "-linger", "5s")
			}
			if m.IsStalled {
				apply = s.ApplyStalled
				args = append([]string{"-count=10", "-failfast"}, args...) // one in two finds the rarest
			}
			if m.IsRace {
				args = append(args, "-race")
			}
			changed, err := apply(m.Edits...)
			require.NoError(t, err)
			overlay, err := WriteOverlay(changed, at, t.TempDir())
			require.NoError(t, err)
			test := exec.Command("go", append([]string{"test", "-overlay", overlay}, args...)...)
			test.Dir = root
			out, err := test.CombinedOutput()
			require.Error(t, err, "%s", out)
			assert.Regexp(t, "--- FAIL: "+name+"|panic: ", string(out))
		})
	}
}

// The test's name in the list is one of the folder's.
func TestEveryMistakeHasATest(t *testing.T) {
	for _, m := range List {
		folder, name, _ := strings.Cut(cmp.Or(m.Test, chaos), " ")
		files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		require.NoError(t, err)
		has := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name+"(")
		})
		assert.True(t, has, "%s finds %q", name, m.Name)
	}
}

// What the list finds while producers are stalled is not due to that.
func TestStalledProducersBreakNoPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	changed, err := readLibrary(t).ApplyStalled()
	require.NoError(t, err)
	overlay, err := WriteOverlay(changed, at, t.TempDir())
	require.NoError(t, err)
	folder, name, _ := strings.Cut(duringAPass, " ")
	test := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=5", "-run", name, folder)
	test.Dir = root
	out, err := test.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// sourceOf is a package of one file.
func sourceOf(t *testing.T, text string) Source {
	t.Helper()
	s := Source{map[string]string{}, map[string]function{}}
	require.NoError(t, s.add("a.go", text))
	return s
}

func TestEditOfAnAmbiguousFragmentIsRefused(t *testing.T) {
	s := sourceOf(t, "package a\n\ntype b int\n\nfunc (b) f() { g() }\n\nfunc f() { g(); g() }\n")
	for places, e := range map[string]Edit{
		"in 2 places": {In: "f", Old: "g()"},
		"in 0 places": {In: "b.f", Old: "h()"},
		"not one":     {In: "no function", Old: "g()"},
	} {
		_, err := s.Apply(e)
		assert.ErrorContains(t, err, places)
	}
	changed, err := s.Apply(Edit{In: "b.f", Old: "g()", New: "h()"})
	require.NoError(t, err)
	assert.Contains(t, changed["a.go"], "f() { h() }\n\nfunc f() { g(); g() }")
}

func TestEditsThatOverlapAreRefused(t *testing.T) {
	s := sourceOf(t, "package a\n\nfunc f() { g(1, 2) }\n")
	_, err := s.Apply(Edit{In: "f", Old: "g(1"}, Edit{In: "f", Old: "1, 2"})
	assert.ErrorContains(t, err, "overlaps")
	changed, err := s.Apply(Edit{"f", "1", "3"}, Edit{"f", "g", "h"}, Edit{"f", "2", "4"})
	require.NoError(t, err)
	assert.Contains(t, changed["a.go"], "h(3, 4)")
}
