package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whoever wraps Inline calls its Go.
func TestInlineHasRunTheTaskWhenGoReturns(t *testing.T) {
	ran := false
	Inline{}.Go(func() { ran = true })
	assert.True(t, ran)
}
