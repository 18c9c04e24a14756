package taskname_test

import (
	"fmt"
	"go/ast"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/taskname"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

type session struct{}

func (*session) Run(*hashedwheel.Timeout) {}
func (*session) closeIdle()               {}
func (session) touch()                    {}

type table[K comparable, V any] struct{}

func (*table[K, V]) Run(*hashedwheel.Timeout) {}
func (*table[K, V]) expire()                  {}

type job func(*hashedwheel.Timeout)

func (j job) Run(to *hashedwheel.Timeout) { j(to) }

type closer interface{ closeIdle() }

// Series is not the library's Series.
type Series struct{ f func() }

func expire(*hashedwheel.Timeout) {}
func again(*hashedwheel.Series)   {}

func TestTaskNameIsReadable(t *testing.T) {
	s, tm := new(session), hashedwheel.MustNew()
	defer tm.StopAll()
	tests := []struct {
		what string
		task any
		want string
	}{
		{"a function", expire, "taskname_test.expire"},
		{"a TaskFunc", hashedwheel.TaskFunc(expire), "taskname_test.expire"},
		{"a user's func type", job(expire), "taskname_test.expire"},
		{"a nil func", job(nil), "taskname_test.job"},
		{"a method value", s.closeIdle, "taskname_test.(*session).closeIdle"},
		{"a method value of a value", session{}.touch, "taskname_test.session.touch"},
		{"a method value of an interface", closer(s).closeIdle, "taskname_test.closer.closeIdle"},
		{"a closure", func() {}, "taskname_test.TestTaskNameIsReadable.func1"},
		{"a method of a generic type", new(table[string, int]).expire, "taskname_test.(*table[...]).expire"},
		{"a function of another package", http.NotFound, "http.NotFound"},
		{"a pointer to a struct", s, "*taskname_test.session"},
		{"a nil pointer", (*session)(nil), "*taskname_test.session"},
		{"a struct", session{}, "taskname_test.session"},
		{"a generic type", &table[string, ast.Ident]{}, "*taskname_test.table[string,ast.Ident]"},
		{
			"a generic type of a generic type", &table[string, table[string, *ast.Ident]]{},
			"*taskname_test.table[string,taskname_test.table[string,*ast.Ident]]",
		},
		{"a type without a name", &struct{ http.Handler }{}, "*struct { http.Handler }"},
		{"a Series", tm.Every(time.Hour, again), "taskname_test.again"},
		{"a Series of somebody else", &Series{f: func() {}}, "*taskname_test.Series"},
		{"a nil Series", (*hashedwheel.Series)(nil), "*hashedwheel.Series"},
		{"nothing", nil, "nil"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) { assert.Equal(t, tt.want, taskname.Of(tt.task)) })
	}
}

// named gives itself a name.
type named string

func (n *named) TaskName() string { return string(*n) }

func TestShownIsTheNameThatATaskGivesItself(t *testing.T) {
	login, empty := named("login code"), named("")
	for _, tt := range []struct {
		what string
		task any
		want string
	}{
		{"a name", &login, "login code"},
		{"an empty name", &empty, "*taskname_test.named"},
		{"a method that panics", (*named)(nil), "*taskname_test.named"},
		{"no method", new(session), "*taskname_test.session"},
		{"a function", expire, "taskname_test.expire"},
		{"nothing", nil, "nil"},
	} {
		t.Run(tt.what, func(t *testing.T) { assert.Equal(t, tt.want, taskname.Shown(tt.task)) })
	}
	assert.Equal(t, "*taskname_test.named", taskname.Of(&login), "the engine calls no user code")
}

func TestPlacedHasTheFileAndLineOfAFunctionLiteral(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	outer := func() func() { return func() {} }
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	series := tm.Every(time.Hour, func(*hashedwheel.Series) {})
	other := hashedwheel.MustNew()
	defer other.StopAll()
	wheeltime.AfterFunc(other, time.Hour, func() {})
	at := func(lines int) string { return fmt.Sprintf(" (taskname_test.go:%d)", line+lines) }
	for lines, task := range map[int]any{1: outer, 4: series, 8: at, 9: job(func(*hashedwheel.Timeout) {})} {
		assert.Equal(t, taskname.Of(task)+at(lines), taskname.Placed(task))
	}
	inner := outer()
	assert.Equal(t, taskname.Of(inner)+at(1), taskname.Placed(inner), "a literal in a literal")
	assert.Regexp(t, `^taskname_test\.TestPlaced.*\.func\d+\Q`+at(7)+`\E$`, other.Sample(1)[0].Name)
	for _, task := range []any{
		expire, new(session).closeIdle, new(session), job(nil), nil, http.NotFound, new(table[string, int]).expire,
	} {
		assert.Equal(t, taskname.Shown(task), taskname.Placed(task))
	}
}

func (n *named) Run(*hashedwheel.Timeout) {}

func TestATimeoutIsPrintedWithTheNameThatItsTaskGivesItself(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	login := named("login code")
	to, err := tm.Schedule(time.Hour, &login)
	assert.NoError(t, err)
	assert.Regexp(t, `^hashedwheel\.Timeout\(Pending, .*, login code\)$`, to.String())
}
