package inspect

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

type table[K comparable, V any] struct{}

func (*table[K, V]) expire() {}

type job func(*hashedwheel.Timeout)

func TestLiteralIsTheFileAndLineOfAFunctionLiteral(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	outer := func() func() { return func() {} }
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	tm.Every(time.Hour, func(*hashedwheel.Series) {})
	for lines, task := range map[int]any{1: outer, 4: tm.Sample(1)[0].Task, 5: job(func(*hashedwheel.Timeout) {})} {
		assert.Equal(t, fmt.Sprint("literal_inside_test.go:", line+lines), literal(task))
	}
	assert.Equal(t, fmt.Sprint("literal_inside_test.go:", line+1), literal(outer()), "a literal in a literal")
	for _, task := range []any{
		newPage, newPage().write, newPage(), job(nil), nil, http.NotFound, new(table[string, int]).expire,
	} {
		assert.Empty(t, literal(task))
	}
}
