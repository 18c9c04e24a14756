// Package mistakes has the seeded mistakes: changes of the library's source that break a promise.
// list.go has the texts, and the test that finds each.
//
// TestEveryEditApplies reports each that does not fit the source any more; it takes a second.
package mistakes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Edit replaces a fragment of the library's code. It is found token by token in whichever file
// has it: comments, spaces and line breaks mean nothing. There must be exactly one.
type Edit struct {
	In  string // the function, such as "Timeout.claim"; needed only if other functions have the same fragment
	Old string
	New string
}

// Source is the code of a package, without its tests.
type Source []file

type file struct {
	name, text string
	tokens     []lexeme
	functions  []function
}

func newFile(name, text string) (file, error) {
	functions, err := functionsOf(name, text)
	return file{name, text, tokensOf(text), functions}, err
}

// Read returns the code in a directory.
func Read(dir string) (s Source, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := newFile(filepath.Base(path), string(text))
		if err != nil {
			return nil, err
		}
		s = append(s, f)
	}
	return s, nil
}

// Apply returns the text of the files that the edits change, by name. All are found in the code as
// it was.
func (s Source) Apply(edits ...Edit) (changed map[string]string, err error) {
	return s.apply(edits, nil)
}

// ApplyWide is Apply, and makes the windows of Wide wide where no edit has changed the code.
func (s Source) ApplyWide(edits ...Edit) (changed map[string]string, err error) {
	return s.apply(edits, Wide)
}

func (s Source) apply(edits, wide []Edit) (changed map[string]string, err error) {
	var places []place
	for i, e := range append(slices.Clip(edits), wide...) {
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
		text, ok := changed[p.file.name]
		if !ok {
			text = p.file.text
		}
		changed[p.file.name] = text[:p.from] + p.New + text[p.to:]
	}
	return changed, nil
}

// place is where an edit applies.
type place struct {
	Edit
	file     *file
	from, to int // offsets
}

func (p place) overlaps(q place) bool { return p.file == q.file && p.from < q.to && q.from < p.to }

func (s Source) find(e Edit) (place, error) {
	old := tokensOf(e.Old)
	if n := len(old); n > 0 && old[n-1].text == ";" {
		old = old[:n-1] // the scanner's own, at the end of a fragment
	}
	var found []place
	var in []string
	for i := range s {
		f := &s[i]
		for at := range len(f.tokens) - len(old) + 1 {
			match := f.tokens[at : at+len(old)]
			if !slices.EqualFunc(match, old, sameText) {
				continue
			}
			p := place{e, f, match[0].from, match[len(old)-1].to}
			name := f.functionAt(p.from)
			if e.In == "" || e.In == name {
				found = append(found, p)
			}
			in = append(in, fmt.Sprintf("%s (%s)", name, f.name))
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return place{}, fmt.Errorf("%v applies in %d places, not one; its fragment is in %q", e, len(found), in)
}

func (e Edit) String() string {
	if e.In == "" {
		return fmt.Sprintf("edit of %q", e.Old)
	}
	return fmt.Sprintf("edit of %q in %s", e.Old, e.In)
}

// lexeme is a token of Go, from one offset to another.
type lexeme struct {
	text     string
	from, to int
}

func sameText(a, b lexeme) bool { return a.text == b.text }

// tokensOf returns the tokens of a fragment, without its comments.
func tokensOf(text string) (all []lexeme) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var sc scanner.Scanner
	sc.Init(file, []byte(text), func(token.Position, string) {}, 0)
	for {
		pos, tok, literal := sc.Scan()
		if tok == token.EOF {
			return all
		}
		from := file.Offset(pos)
		if tok == token.SEMICOLON {
			// The scanner inserts "\n" as a semicolon of no length.
			all = append(all, lexeme{";", from, from + len(strings.TrimSpace(literal))})
			continue
		}
		if literal == "" {
			literal = tok.String()
		}
		all = append(all, lexeme{literal, from, from + len(literal)})
	}
}

// function is a function's name, with its receiver's type, and where it is.
type function struct {
	name     string
	from, to int
}

func functionsOf(name, text string) (all []function, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, function{NameOf(f), set.Position(f.Pos()).Offset, set.Position(f.End()).Offset})
		}
	}
	return all, nil
}

func (f *file) functionAt(offset int) string {
	for _, fn := range f.functions {
		if fn.from <= offset && offset < fn.to {
			return fn.name
		}
	}
	return "no function"
}

// NameOf returns a function's name, such as "Timeout.claim".
func NameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	return fmt.Sprint(t) + "." + f.Name.Name
}
