package mistakes

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
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

func TestEveryMistakeCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command for what the library imports")
	}
	s := readLibrary(t)
	imports := importsOf(t)
	for _, m := range List {
		changed, err := s.ApplyWide(m.Edits...)
		if err != nil {
			continue // TestEveryEditApplies reports it
		}
		assert.NoError(t, s.with(t, changed).compile(imports), m.Name)
	}
}

// with is the code after a change.
func (s Source) with(t *testing.T, changed map[string]string) (all Source) {
	t.Helper()
	for _, f := range s {
		if _, is := changed[f.name]; !is {
			all = append(all, f)
		}
	}
	for name, text := range changed {
		f, err := newFile(name, text)
		require.NoError(t, err)
		all = append(all, f)
	}
	return all
}

// compile checks the types.
func (s Source) compile(imports types.Importer) error {
	set := token.NewFileSet()
	var files []*ast.File
	for _, f := range s {
		parsed, err := parser.ParseFile(set, f.name, f.text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, parsed)
	}
	_, err := (&types.Config{Importer: imports}).Check(library, set, files, nil)
	return err
}

// sourceOf is a package of one file.
func sourceOf(t *testing.T, text string) Source {
	t.Helper()
	return Source{}.with(t, map[string]string{"a.go": text})
}

// importsOf maps each import of the library to its export data, as compiled by the go command.
func importsOf(t *testing.T) types.Importer {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", library)
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(filepath.Clean(files[path]))
	})
}

func TestEditMatchesCodeWithoutItsCommentsAndSpaces(t *testing.T) {
	s := sourceOf(t, "package a\n\n// f calls g() twice.\nfunc f() {\n"+
		"\tg( /* once */ ) // not g()\n\tif h {\n\t\tg2()\n\t}\n}\n")
	for old, want := range map[string]string{
		"g()":           "\tBROKEN // not g()\n",
		"if h {\ng2()":  "\tBROKEN\n\t}\n",
		"if  h{ g2( )":  "\tBROKEN\n\t}\n",
		"f() {\n g()\n": "func BROKEN // not g()\n",
	} {
		changed, err := s.Apply(Edit{Old: old, New: "BROKEN"})
		require.NoError(t, err, old)
		assert.Contains(t, changed["a.go"], want, old)
	}
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
