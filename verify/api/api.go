// Command api prints the exported API of the library, one line for each constant, variable, function, type, field and
// method, as api/ records it for this version:
//
//	go run ./verify/api > api/0.6.0.txt
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"path/filepath"
	"slices"
	"strings"
)

func main() { fmt.Println(strings.Join(describe("."), "\n")) }

// describe returns the API of all packages, sorted. The files of all systems count, whatever their build tags.
func describe(root string) []string {
	var a api
	isSource := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	for _, folder := range []string{".", "idle", "inspect", "keyed", "wheeltime"} {
		packages, err := parser.ParseDir(token.NewFileSet(), filepath.Join(root, folder), isSource, 0)
		if err != nil {
			log.Fatal("api: ", err)
		}
		for _, p := range packages {
			ast.Inspect(p, a.visit)
		}
	}
	slices.Sort(a.lines)
	return slices.Compact(a.lines) // a function with a file for each system is declared several times
}

type api struct {
	lines   []string
	name    string            // of the package
	head    string            // of the lines of the declaration
	aliases map[string]string // of the file; the methods of an embedded alias are the struct's
}

func (a *api) add(name string, line ...string) {
	if ast.IsExported(name[strings.LastIndexAny(name, ".*")+1:]) {
		a.lines = append(a.lines, "pkg "+a.name+", "+strings.Join(line, ""))
	}
}

func (a *api) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.File:
		a.name, a.aliases = n.Name.Name, make(map[string]string)
	case *ast.GenDecl:
		a.head = n.Tok.String()
	case *ast.ValueSpec:
		for _, name := range n.Names {
			a.add(name.Name, a.head, " ", name.Name)
		}
	case *ast.TypeSpec:
		if n.Assign.IsValid() {
			a.aliases[n.Name.Name] = text(n.Type)
		}
		if n.Name.IsExported() {
			a.head = strings.TrimSpace(strings.SplitN("type "+text(n), "{", 2)[0])
			a.add(n.Name.Name, a.head)
			ast.Inspect(n.Type, a.visit)
		}
		return false
	case *ast.Field: // or a method of an interface
		of := cmp.Or(a.aliases[text(n.Type)], text(n.Type))
		if len(n.Names) == 0 {
			a.add(of, a.head, ", embedded ", of)
		}
		for _, name := range n.Names {
			a.add(name.Name, a.head, ", ", strings.Replace(name.Name+" "+of, " func(", "(", 1))
		}
		return false
	case *ast.FuncDecl:
		if n.Recv == nil || ast.IsExported(strings.TrimLeft(text(n.Recv.List[0].Type), "*")) {
			a.add(n.Name.Name, text(&ast.FuncDecl{Recv: n.Recv, Name: n.Name, Type: n.Type}))
		}
		return false
	case *ast.FuncType:
		return false
	}
	return true
}

// text returns the code on one line.
func text(node any) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), node) // no positions, and so no line breaks of the source
	return strings.Join(strings.Fields(b.String()), " ")
}
