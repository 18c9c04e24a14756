package packagetime_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

const shimPath = `"github.com/hashedwheel/hashedwheel/verify/packagetime/shim"`

// An edit lists the changes of the time package's test files besides the new import.
type edit struct {
	left    []string          // functions that are left out
	numbers map[string]string // from "function number" to another number
}

// readEdit reads the tables of README.md: two cells leave a function out, four change a number.
func readEdit(readme string) (edit, error) {
	e := edit{numbers: map[string]string{}}
	text, err := os.ReadFile(readme)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.Trim(cell, " `")
		}
		switch isRow := strings.HasPrefix(line, "| `"); {
		case isRow && len(cells) == 2:
			e.left = append(e.left, cells[0])
		case isRow && len(cells) == 4:
			e.numbers[cells[0]+" "+cells[1]] = cells[2]
		}
	}
	return e, err
}

// A splice is a piece of a file and the text that takes its place.
type splice struct {
	from, to token.Pos
	text     string
}

// apply returns a test file of the time package, edited.
func (e edit) apply(name string) ([]byte, error) {
	files := token.NewFileSet()
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(files, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	splices := []splice{{f.Name.Pos(), f.Name.End(), "shim_test"}}
	for _, d := range f.Decls {
		splices = append(splices, e.ofDecl(d)...)
	}
	slices.SortFunc(splices, func(a, b splice) int { return int(a.from - b.from) })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(src[at:files.Position(s.from).Offset])
		out.WriteString(s.text)
		at = files.Position(s.to).Offset
	}
	out.Write(src[at:])
	return out.Bytes(), nil
}

func (e edit) ofDecl(d ast.Decl) (splices []splice) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && slices.Contains(e.left, d.Name.Name) {
			return []splice{{d.Pos(), d.End(), ""}}
		}
		return e.inFunc(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ImportSpec:
				splices = append(splices, ofImport(spec)...)
			case *ast.ValueSpec:
				if spec.Names[0].Name == "haveHighResSleep" { // with its comment, which links it to the runtime
					splices = append(splices, splice{d.Doc.Pos(), d.End(), "const haveHighResSleep = true"})
				}
			}
		}
	}
	return splices
}

func ofImport(spec *ast.ImportSpec) []splice {
	switch spec.Path.Value {
	case `"time"`:
		return []splice{{spec.Path.Pos(), spec.Path.End(), shimPath}}
	case `"internal/testenv"`, `"unsafe"`:
		return []splice{{spec.Pos(), spec.End(), ""}}
	}
	return nil
}

// inFunc changes the numbers of a function, and leaves out each if with internal/testenv or with the cap of a channel.
func (e edit) inFunc(d *ast.FuncDecl) (splices []splice) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, ok := e.numbers[d.Name.Name+" "+n.Value]; ok {
				splices = append(splices, splice{n.Pos(), n.End(), text})
			}
		case *ast.IfStmt:
			if mentions(n.Body, "testenv") || n.Init != nil && mentions(n.Init, "cap") {
				splices = append(splices, splice{n.Pos(), n.End(), ""})
				return false
			}
		}
		return true
	})
	return splices
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
