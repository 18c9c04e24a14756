// Package taskname says what a task is, in words that a person knows from the
// code: a function's name if the task is one, its type if it is not.
package taskname

import (
	"reflect"
	"runtime"
	"strings"
)

// library is where the types of the library are declared.
const library = "github.com/hashedwheel/hashedwheel"

// Of returns the name of a task, without the directories of import paths:
//
//	main.(*conn).closeIdle    a method value
//	main.main.func1           a closure
//	*main.session             a pointer to a struct
//
// A task that is a func of any type, or a Series, has the name of its function; the
// one that closes a channel of Timer.After is called so. Of reads no more of a task than
// its function, so it is safe beside everything that runs.
func Of(task any) string {
	v := reflect.ValueOf(task)
	if !v.IsValid() {
		return "nil"
	}
	if f := function(v); f.IsValid() {
		if pc := runtime.FuncForPC(f.Pointer()); pc != nil { // nil for a nil func
			return base(strings.TrimSuffix(pc.Name(), "-fm"))
		}
	}
	if isChannel(v.Type()) {
		return "hashedwheel.(*Timer).After"
	}
	return short(v.Type().String())
}

// isChannel reports whether a task is what closes a channel of After. No other struct
// that the library keeps to itself is a task.
func isChannel(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return isOurs(t) && isLower(t.Name())
}

// function returns the func that a task runs, or no Value if it has none of its own.
func function(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && !v.IsNil() && isOurs(v.Type().Elem()) {
		v = v.Elem().FieldByName("f") // that of a Series, whatever type its task has
	}
	if v.Kind() == reflect.Func {
		return v
	}
	return reflect.Value{}
}

func isOurs(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.PkgPath() == library }

func isLower(name string) bool { return name != "" && 'a' <= name[0] && name[0] <= 'z' }

// short is base for each of the names that the name of a generic type is made of.
func short(name string) string {
	if !strings.Contains(name, "/") {
		return name // as nearly all types are called
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

// base drops the directories of the import path before a name, as a reader of the
// code does: "example.org/chat/v2.run" is "chat.run".
func base(name string) string {
	dirs, last := cut(name)
	if version, rest, ok := strings.Cut(last, "."); ok && dirs != "" && isVersion(version) {
		_, dir := cut(dirs)
		last = dir + "." + rest
	}
	return strings.ReplaceAll(last, "%2e", ".") // as in gopkg.in/yaml%2ev3.Unmarshal
}

// cut cuts a path behind its last slash.
func cut(path string) (dirs, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

func isVersion(dir string) bool {
	return len(dir) > 1 && dir[0] == 'v' && strings.Trim(dir[1:], "0123456789") == ""
}
