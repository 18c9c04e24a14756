package inspect

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
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
	ofSeries := tm.Sample(1)[0].Task
	tm.Stop()
	tm = hashedwheel.MustNew()
	defer tm.Stop()
	wheeltime.AfterFunc(tm, time.Hour, func() {})
	ofTime := tm.Sample(1)[0].Task
	for lines, task := range map[int]any{1: outer, 4: ofSeries, 9: ofTime, 11: job(func(*hashedwheel.Timeout) {})} {
		assert.Equal(t, fmt.Sprint("literal_inside_test.go:", line+lines), literal(task))
	}
	assert.Equal(t, fmt.Sprint("literal_inside_test.go:", line+1), literal(outer()), "a literal in a literal")
	for _, task := range []any{
		newPage, newPage().write, newPage(), job(nil), nil, http.NotFound, new(table[string, int]).expire,
	} {
		assert.Empty(t, literal(task))
	}
}
