package keyed_test

import (
	"fmt"
	"go/ast"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// fmt walks the fields of a type that has no String, and reading a Go map while another
// goroutine writes it ends the process.
func TestMapPrintsDuringUse(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) {})
	var running sync.WaitGroup
	stop := make(chan struct{})
	for i := range 2 {
		running.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
					_ = m.Set(i+2*(k%500), k, time.Hour)
					m.Delete(i + 2*(k%250))
				}
			}
		})
	}
	for range 300 {
		for _, verb := range []string{"%v", "%+v", "%s", "%q", "%#v", "%d", "%x"} {
			_ = fmt.Sprintf(verb, m)
		}
	}
	close(stop)
	running.Wait()
}

func TestEntryShowsTheNameOfItsMapOrItsTypes(t *testing.T) {
	for want, opts := range map[string][]keyed.Option{
		"codes": {keyed.WithName("codes")}, "entry of keyed.Map[string,*ast.File]": nil,
	} {
		tm := hashedwheel.MustNew()
		require.NoError(t, keyed.New(tm, func(string, *ast.File) {}, opts...).Set("a", nil, time.Hour))
		assert.Equal(t, want, tm.Sample(1)[0].Name)
		assert.Contains(t, tm.Stop()[0].String(), ", "+want+")")
	}
}

func TestStringHasNameAndCount(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) {}, keyed.WithName("codes"))
	assert.Equal(t, "keyed.Map(codes, 0 keys)", fmt.Sprint(m))
	require.NoError(t, m.Set(0, 0, time.Hour))
	assert.Equal(t, "keyed.Map(codes, 1 key)", fmt.Sprint(m))
	for k := range 20_000 {
		require.NoError(t, m.Set(k, k, time.Hour))
	}
	assert.Equal(t, "keyed.Map(codes, 20000 keys)", fmt.Sprintf("%+v", m))
	assert.Equal(t, "keyed.Map(0 keys)", fmt.Sprint(keyed.New(tm, func(int, int) {})))
	assert.Equal(t, "keyed.Map(not made by New)", new(keyed.Map[int, int]).String())
}
