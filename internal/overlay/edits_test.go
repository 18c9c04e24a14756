package overlay

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A failure names the text of edits.go that needs to match new code.
func TestEveryEditApplies(t *testing.T) {
	for _, e := range slices.Concat(Wide, Handicap(1)) {
		_, err := write("../..", t.TempDir(), []Edit{e})
		assert.NoError(t, err)
	}
}
