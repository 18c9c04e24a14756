// Package taskname returns readable names of tasks: by the method TaskName, or else by the function or the type.
package taskname

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
)

// library is the import path of the package that declares the library's types.
const library = "github.com/hashedwheel/hashedwheel"

// Shown returns the name under which a task is shown: the result of its method TaskName, or Of if there is no such
// method, or the method panics or returns "". Shown runs user code: never call it under a lock.
func Shown(task any) (name string) {
	defer func() {
		if recover() != nil || name == "" { // most likely a nil pointer's method has panicked
			name = Of(task)
		}
	}()
	if named, ok := task.(interface{ TaskName() string }); ok {
		name = named.TaskName()
	}
	return name
}

// Placed is Shown, followed, for a function literal, whose name means little, by the place in the code where it begins:
// "main.run.func1 (run.go:42)", the line of func or of the first statement.
func Placed(task any) string { return Shown(task) + place(task) }

// OfPlaced is Of, with the place of a function literal as in Placed.
func OfPlaced(task any) string { return Of(task) + place(task) }

// place returns the place of a function literal, in parentheses, and nothing for other tasks.
func place(task any) string {
	f := function(task)
	if f == nil || !isLiteral(f.Name()) {
		return ""
	}
	file, line := f.FileLine(f.Entry())
	return fmt.Sprintf(" (%s:%d)", path.Base(file), line)
}

// isLiteral recognizes the names that the compiler gives to function literals: main.run.func2.1
func isLiteral(name string) bool {
	rest := base(name)
	for found := true; found; {
		_, rest, found = strings.Cut(rest, ".func")
		if found && rest != "" && '0' <= rest[0] && rest[0] <= '9' {
			return true
		}
	}
	return false
}

// Of returns the name that a task has in the code, without the directories of import paths:
//
//	main.(*conn).closeIdle    a method value
//	main.main.func1           a closure
//	*main.session             a pointer to a struct
//
// A task that is a func of any type, a Series, or a Timer of wheeltime's AfterFunc has the name of its function. Of
// reads no more of a task than its function, so it is safe at any time.
func Of(task any) string {
	if task == nil {
		return "nil"
	}
	if f := function(task); f != nil {
		return base(strings.TrimSuffix(f.Name(), "-fm"))
	}
	return short(reflect.TypeOf(task).String())
}

// function returns the function that a task runs, nil if the task has no function.
func function(task any) *runtime.Func {
	v := reflect.ValueOf(task)
	if v.Kind() == reflect.Pointer && !v.IsNil() && isOurs(v.Type().Elem()) {
		v = v.Elem().FieldByName("f") // of a Series, or of wheeltime's AfterFunc, whatever type its task has
	}
	if v.Kind() != reflect.Func {
		return nil
	}
	return runtime.FuncForPC(v.Pointer()) // nil for a nil func
}

func isOurs(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && (t.PkgPath() == library || t.PkgPath() == library+"/wheeltime")
}

// short is base for each name in the name of a generic type.
func short(name string) string {
	if !strings.Contains(name, "/") {
		return name // as for nearly all types
	}
	var b strings.Builder
	start := 0
	for i := range len(name) {
		if strings.IndexByte("[](){},* ", name[i]) >= 0 {
			b.WriteString(base(name[start:i]))
			b.WriteByte(name[i])
			start = i + 1
		}
	}
	b.WriteString(base(name[start:]))
	return b.String()
}

// base drops the directories of the import path before a name: "example.org/chat.run" becomes "chat.run".
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
