package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefuseClearsTheLink(t *testing.T) {
	to := &Timeout{link: new(Timeout)}
	to.beginNew(9)
	to.refuse(false)
	assert.Nil(t, to.link)
}
