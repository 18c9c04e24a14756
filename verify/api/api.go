// Command api prints the exported API of the library, one line for each constant, variable, function, type,
// field and method, as api/ records it for each version:
//
//	go run ./verify/api > api/0.2.0.txt
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packages are the folders of the library's packages, from the root of the module.
var packages = []string{".", "idle", "inspect", "keyed", "wheeltime"}

func main() {
	lines, err := describe(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
	fmt.Print(strings.Join(lines, "\n") + "\n")
}

// describe returns the API of all packages, sorted.
func describe(root string) (lines []string, err error) {
	for _, folder := range packages {
		of, err := describePackage(filepath.Join(root, folder))
		if err != nil {
			return nil, err
		}
		lines = append(lines, of...)
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil // a function with a file for each system is declared several times
}

func describePackage(folder string) (lines []string, err error) {
	isSource := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	fset := token.NewFileSet()
	//lint:ignore SA1019 the files of all systems count, whatever their build tags
	parsed, err := parser.ParseDir(fset, folder, isSource, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for name, p := range parsed {
		d := &describer{prefix: "pkg " + name + ", "}
		d.embedded(p) // before doc.New, which leaves out what is embedded under a name that is not exported
		d.describe(doc.New(p, folder, 0))
		lines = append(lines, d.lines...)
	}
	return lines, nil
}

type describer struct {
	prefix string
	lines  []string
}

func (d *describer) add(format string, args ...any) {
	d.lines = append(d.lines, d.prefix+fmt.Sprintf(format, args...))
}

// embedded adds a line for each type of another package that an exported struct embeds, by an alias also: its
// methods are the struct's.
func (d *describer) embedded(p ast.Node) {
	aliases := map[string]string{}
	var structs []*ast.TypeSpec
	ast.Inspect(p, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok {
			if t.Assign.IsValid() {
				aliases[t.Name.Name] = d.text(t.Type)
			}
			if _, isStruct := t.Type.(*ast.StructType); isStruct && t.Name.IsExported() {
				structs = append(structs, t)
			}
		}
		return true
	})
	for _, t := range structs {
		for _, f := range t.Type.(*ast.StructType).Fields.List {
			of := d.text(f.Type)
			if alias, ok := aliases[of]; ok {
				of = alias
			}
			if len(f.Names) == 0 && strings.Contains(of, ".") {
				d.add("type %s struct, embedded %s", t.Name.Name, of)
			}
		}
	}
}

func (d *describer) describe(p *doc.Package) {
	d.values(p.Consts)
	d.values(p.Vars)
	d.functions(p.Funcs)
	for _, t := range p.Types {
		d.values(t.Consts)
		d.values(t.Vars)
		d.functions(t.Funcs)
		d.functions(t.Methods)
		for _, spec := range t.Decl.Specs {
			d.typ(spec.(*ast.TypeSpec))
		}
	}
}

func (d *describer) values(values []*doc.Value) {
	for _, v := range values {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				d.add("%v %s", v.Decl.Tok, name)
			}
		}
	}
}

func (d *describer) functions(functions []*doc.Func) {
	for _, f := range functions {
		d.add("%s", d.text(&ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type}))
	}
}

// typ adds a line for the type, and one for each exported field or method of an interface.
func (d *describer) typ(t *ast.TypeSpec) {
	head := "type " + t.Name.Name
	if t.TypeParams != nil {
		var params []string
		for _, f := range t.TypeParams.List {
			for _, name := range f.Names {
				params = append(params, name.Name+" "+d.text(f.Type))
			}
		}
		head += "[" + strings.Join(params, ", ") + "]"
	}
	switch of := t.Type.(type) {
	case *ast.StructType:
		d.add("%s struct", head)
		d.fields(head+" struct", of.Fields)
	case *ast.InterfaceType:
		d.add("%s interface", head)
		d.fields(head+" interface", of.Methods)
	default:
		d.add("%s %s", head, d.text(of))
	}
}

func (d *describer) fields(head string, fields *ast.FieldList) {
	for _, f := range fields.List {
		for _, name := range f.Names {
			if name.IsExported() {
				text := " " + d.text(f.Type)
				if _, isMethod := f.Type.(*ast.FuncType); isMethod {
					text = strings.TrimPrefix(text, " func")
				}
				d.add("%s, %s%s", head, name.Name, text)
			}
		}
		if len(f.Names) == 0 {
			d.add("%s, embedded %s", head, d.text(f.Type))
		}
	}
}

// text is without the positions of the source, so that a list over several lines of it stands on one.
func (d *describer) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
