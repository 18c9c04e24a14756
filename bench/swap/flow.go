package swap

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// functions and kinds are the names of package time that are swapped. Values of a kind have a different type after the swap, so
// either all places that a value reaches are swapped, or none.
var (
	functions = map[string]bool{"AfterFunc": true, "NewTimer": true, "NewTicker": true, "After": true, "Tick": true, "Sleep": true}
	kinds     = map[string]bool{"Timer": true, "Ticker": true}
)

// slot stands for all places that the same timers may reach. It is a node of a union-find structure.
type slot struct {
	parent *slot
	why    string // set: these timers stay package time's
}

func (s *slot) root() *slot {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (s *slot) join(other *slot) {
	a, b := s.root(), other.root()
	if a == b {
		return
	}
	if a.why == "" {
		a.why = b.why
	}
	b.parent = a
}

func (s *slot) keep(why string) {
	if r := s.root(); r.why == "" {
		r.why = why
	}
}

// site is one use of a swapped name.
type site struct {
	node ast.Node // time.AfterFunc, or AfterFunc where package time is imported with a dot
	name string
	slot *slot // nil for After, Tick and Sleep, whose values have types that stay
}

// flow finds the sites of a program, and connects sites that share timers.
type flow struct {
	p       *program
	c       *packages.Package   // the current package
	objects map[token.Pos]*slot // by the position of the declaration
	methods map[string]*slot    // methods with timers in their signature, by name: one may implement another
	any     *slot               // timers taken from an interface
	fromAny bool
	sites   map[token.Pos]*site
	others  []Site // contexts and deadlines
	seen    map[token.Pos]bool
	parents []ast.Node
	results []*slot // of the functions around the current node
}

func analyze(p *program) *flow {
	f := &flow{
		p: p, objects: map[token.Pos]*slot{}, methods: map[string]*slot{}, any: &slot{},
		sites: map[token.Pos]*site{}, seen: map[token.Pos]bool{},
	}
	for _, f.c = range p.targets {
		for _, file := range f.c.Syntax {
			for _, decl := range file.Decls {
				f.walk(decl, &slot{})
			}
		}
	}
	f.interfaces()
	if f.fromAny {
		for _, s := range f.sites {
			if s.slot != nil && s.slot.root().why != "" {
				f.any.keep("is taken from an interface, and some timers of the module stay package time's")
			}
		}
	}
	return f
}

// interfaces keeps methods with timers that an interface of another package has.
func (f *flow) interfaces() {
	seen := map[*types.Package]bool{}
	for _, c := range f.p.targets {
		for _, pkg := range c.Types.Imports() {
			if seen[pkg] || f.p.swapped[pkg.Path()] || pkg.Path() == "time" {
				continue
			}
			seen[pkg] = true
			for _, name := range pkg.Scope().Names() {
				obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
				if !ok || !obj.Exported() {
					continue
				}
				asked, ok := obj.Type().Underlying().(*types.Interface)
				if !ok {
					continue
				}
				for m := range asked.Methods() {
					if s := f.methods[m.Name()]; s != nil && f.mentions(m.Type(), &slot{}) {
						s.keep("crosses into " + pkg.Path() + "." + name)
					}
				}
			}
		}
	}
}

// walk visits n, whose timers belong to unit. Each statement, field and declaration is a unit.
func (f *flow) walk(n ast.Node, unit *slot) {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		unit = f.results[len(f.results)-1]
	case *ast.CaseClause:
		unit = &slot{}
		f.typeCases(n, unit)
	case ast.Stmt, *ast.ValueSpec, *ast.TypeSpec, *ast.GenDecl:
		unit = &slot{}
	case *ast.Field:
		if f.ownField() {
			unit = &slot{}
		}
	case *ast.FuncDecl:
		unit = &slot{}
		f.results = append(f.results, unit)
		defer func() { f.results = f.results[:len(f.results)-1] }()
	case *ast.FuncLit:
		f.results = append(f.results, unit)
		defer func() { f.results = f.results[:len(f.results)-1] }()
	case *ast.TypeAssertExpr:
		if n.Type != nil && f.mentions(f.c.TypesInfo.TypeOf(n.Type), unit) {
			f.fromAny = true
			f.any.join(unit)
		}
	case *ast.StarExpr:
		if tv := f.c.TypesInfo.Types[n]; tv.IsValue() && isTimer(tv.Type) {
			unit.keep("a timer is copied")
		}
	case *ast.Ident:
		f.ident(n, unit)
		return
	}
	f.parents = append(f.parents, n)
	ast.Inspect(n, func(child ast.Node) bool {
		if child == nil || child == n {
			return child == n
		}
		f.walk(child, unit)
		return false
	})
	f.parents = f.parents[:len(f.parents)-1]
}

// typeCases joins the timers of a type switch's case with all others taken from an interface.
func (f *flow) typeCases(n *ast.CaseClause, unit *slot) {
	for _, e := range n.List {
		if tv := f.c.TypesInfo.Types[e]; tv.IsType() && f.mentions(tv.Type, unit) {
			f.fromAny = true
			f.any.join(unit)
			if obj := f.c.TypesInfo.Implicits[n]; obj != nil {
				f.object(obj.Pos()).join(unit)
			}
		}
	}
}

// ownField reports whether the current field is a field or method of a declared type, and so has nothing to do with its neighbors.
func (f *flow) ownField() bool {
	n := len(f.parents)
	if n < 3 {
		return false
	}
	switch f.parents[n-2].(type) {
	case *ast.StructType, *ast.InterfaceType:
		_, declared := f.parents[n-3].(*ast.TypeSpec)
		return declared
	}
	return false
}

func (f *flow) object(pos token.Pos) *slot {
	if f.objects[pos] == nil {
		f.objects[pos] = &slot{}
	}
	return f.objects[pos]
}

func (f *flow) ident(id *ast.Ident, unit *slot) {
	obj := f.c.TypesInfo.Uses[id]
	if obj == nil {
		obj = f.c.TypesInfo.Defs[id]
	}
	if obj == nil || obj.Pkg() == nil {
		return
	}
	path := obj.Pkg().Path()
	if path == "time" && obj.Parent() == obj.Pkg().Scope() && (functions[obj.Name()] || kinds[obj.Name()]) {
		f.site(id, obj.Name(), unit)
		return
	}
	f.other(id, obj)
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	}
	if path == "time" || !f.mentions(obj.Type(), unit) {
		return
	}
	if !f.p.swapped[path] {
		unit.keep("crosses into " + path + "." + obj.Name())
		return
	}
	f.object(obj.Pos()).join(unit)
	if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
		if f.methods[fn.Name()] == nil {
			f.methods[fn.Name()] = &slot{}
		}
		f.methods[fn.Name()].join(unit)
	}
}

func (f *flow) site(id *ast.Ident, name string, unit *slot) {
	var node, around ast.Node = id, nil
	up := len(f.parents) - 1
	if sel, ok := f.parents[up].(*ast.SelectorExpr); ok && sel.Sel == id {
		node = sel
		up--
	}
	around = f.parents[up]
	s := f.sites[node.Pos()]
	if s == nil {
		s = &site{node: node, name: name, slot: &slot{}}
		f.sites[node.Pos()] = s
	}
	switch name {
	case "After", "Tick", "Sleep":
		s.slot = nil
		return
	}
	s.slot.join(unit)
	if s.inCgo(f.p) {
		s.slot.keep(usesCgo)
	}
	f.object(id.Pos()).join(unit) // an embedded field is declared where its type stands
	if kinds[name] && !pointed(around, node) {
		s.slot.keep("a " + name + " without a pointer")
	}
}

// pointed reports whether the type name node follows a star, or is an argument of a generic type or function.
func pointed(around, node ast.Node) bool {
	switch around := around.(type) {
	case *ast.StarExpr:
		return true
	case *ast.IndexExpr:
		return around.Index == node
	case *ast.IndexListExpr:
		return true
	case *ast.TypeSpec:
		return around.Assign.IsValid() // type Timer = time.Timer
	}
	return false
}

// mentions reports whether values of t may hold timers. Named structs and interfaces do not count, since their fields and
// methods are objects themselves; other named types of the program are joined with unit.
func (f *flow) mentions(t types.Type, unit *slot) bool {
	switch t := t.(type) {
	case *types.Alias:
		if f.mentions(types.Unalias(t), unit) {
			f.declared(t.Obj(), unit)
			return true
		}
	case *types.Named:
		if isTimer(t) {
			return true
		}
		for arg := range t.TypeArgs().Types() {
			if f.mentions(arg, unit) {
				return true
			}
		}
		switch t.Underlying().(type) {
		case *types.Struct, *types.Interface:
			return false
		}
		pos := t.Obj().Pos()
		if f.seen[pos] {
			return false // a recursive type
		}
		f.seen[pos] = true
		defer delete(f.seen, pos)
		if f.mentions(t.Origin().Underlying(), unit) {
			f.declared(t.Obj(), unit)
			return true
		}
	case *types.Pointer:
		return f.mentions(t.Elem(), unit)
	case *types.Slice:
		return f.mentions(t.Elem(), unit)
	case *types.Array:
		return f.mentions(t.Elem(), unit)
	case *types.Chan:
		return f.mentions(t.Elem(), unit)
	case *types.Map:
		return f.mentions(t.Key(), unit) || f.mentions(t.Elem(), unit)
	case *types.Signature:
		return f.mentions(t.Params(), unit) || f.mentions(t.Results(), unit)
	case *types.Tuple:
		for v := range t.Variables() {
			if f.mentions(v.Type(), unit) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if f.mentions(v.Type(), unit) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if f.mentions(m.Type(), unit) {
				return true
			}
		}
	}
	return false
}

// declared joins unit with the declared type of timers.
func (f *flow) declared(obj *types.TypeName, unit *slot) {
	if f.p.swapped[pathOf(obj)] {
		f.object(obj.Pos()).join(unit)
	} else {
		unit.keep("crosses into " + pathOf(obj) + "." + obj.Name())
	}
}

func isTimer(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && pathOf(named.Obj()) == "time" && kinds[named.Obj().Name()]
}

func pathOf(obj types.Object) string {
	if obj.Pkg() == nil {
		return ""
	}
	return obj.Pkg().Path()
}

// other records timers inside packages that are not rewritten.
func (f *flow) other(id *ast.Ident, obj types.Object) {
	fn, ok := obj.(*types.Func)
	if !ok || f.c.TypesInfo.Defs[id] != nil {
		return
	}
	switch name := fn.Name(); name {
	case "WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause":
		if pathOf(fn) == "context" {
			f.others = append(f.others, f.p.at(id, "context."+name, "the timer is inside package context"))
		}
	case "SetDeadline", "SetReadDeadline", "SetWriteDeadline":
		if fn.Signature().Recv() != nil && !f.p.swapped[pathOf(fn)] {
			f.others = append(f.others, f.p.at(id, name, "a connection's deadline is inside the runtime's poller, or in "+pathOf(fn)))
		}
	}
}
