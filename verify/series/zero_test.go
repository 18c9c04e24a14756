package series_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

func TestZeroSeriesPanicsInEachMethod(t *testing.T) {
	for name, call := range map[string]func(s *hashedwheel.Series){
		"Stop":                    func(s *hashedwheel.Series) { s.Stop() },
		"Reset":                   func(s *hashedwheel.Series) { s.Reset(time.Second) },
		"Reset, not positive too": func(s *hashedwheel.Series) { s.Reset(0) },
		"Next":                    func(s *hashedwheel.Series) { s.Next() },
		"Err":                     func(s *hashedwheel.Series) { _ = s.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			s := new(hashedwheel.Series)
			for range 2 { // the first leaves no lock behind
				assert.PanicsWithValue(t, "hashedwheel: zero Series: Every, EveryFrom and Recur make one", func() { call(s) })
			}
		})
	}
}

// A struct with a Series that Every has yet to make may be printed.
func TestZeroSeriesPrints(t *testing.T) {
	assert.Equal(t, "hashedwheel.Series(zero)", fmt.Sprint(new(hashedwheel.Series)))
}
