// Package mistakes contains the seeded mistakes: changes of the library's source that break a promise. list.go has the
// texts, and the test that finds each mistake.
//
// TestEveryEditApplies reports each edit that no longer fits the source; it takes a second.
package mistakes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Edit replaces a fragment of a function. The function must contain it exactly once, including line breaks and tabs.
type Edit struct {
	In  string // the function, such as "Timeout.claim"
	Old string
	New string // if empty, the fragment is removed
}

func (e Edit) String() string { return fmt.Sprintf("edit of %q in %s", e.Old, e.In) }

// source is the code of a package, without its tests.
type source struct {
	files     map[string]string
	functions map[string]function
}

// function is the position of a function, without its comment.
type function struct {
	file     string
	from, to int // offsets
}

// read returns the code in a directory.
func read(dir string) (source, error) {
	s := source{map[string]string{}, map[string]function{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return s, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return s, err
		}
		if err := s.add(filepath.Base(path), string(text)); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s source) add(name, text string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.files[name] = text
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			s.functions[nameOf(f)] = function{name, set.Position(f.Pos()).Offset, set.Position(f.End()).Offset}
		}
	}
	return nil
}

// nameOf returns a function's name, with its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return fmt.Sprint(t) + "." + f.Name.Name
}

// apply returns the text of the files that the edits change, by name. All are found in the original code. The edits of
// wide, such as Wide or Stalled, apply where no other has changed the code.
func (s source) apply(edits, wide []Edit) (changed map[string]string, err error) {
	var places []place
	for i, e := range slices.Concat(edits, wide) {
		p, err := s.find(e)
		if err != nil {
			return nil, err
		}
		j := slices.IndexFunc(places, p.overlaps)
		switch {
		case j < 0:
			places = append(places, p)
		case i < len(edits):
			return nil, fmt.Errorf("%v overlaps with %v", e, places[j].Edit)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return b.from - a.from }) // from the end, so that offsets hold
	changed = map[string]string{helpersFile: helpers}
	for _, p := range places {
		text, ok := changed[p.file]
		if !ok {
			text = s.files[p.file]
		}
		changed[p.file] = text[:p.from] + p.New + text[p.to:]
	}
	return changed, nil
}

// place is the position at which an edit applies.
type place struct {
	Edit
	file     string
	from, to int // offsets
}

func (p place) overlaps(q place) bool { return p.file == q.file && p.from < q.to && q.from < p.to }

func (s source) find(e Edit) (place, error) {
	f := s.functions[e.In] // no text, if there is no such function
	code := s.files[f.file][f.from:f.to]
	if n := strings.Count(code, e.Old); n != 1 {
		return place{}, fmt.Errorf("%v applies in %d places, not one", e, n)
	}
	from := f.from + strings.Index(code, e.Old)
	return place{e, f.file, from, from + len(e.Old)}, nil
}
