package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A queued timeout is filed again before it can be claimed.
func TestClaimOfAQueuedTimeoutFails(t *testing.T) {
	to := new(Timeout)
	setWord(to, 9, queued, Pending)
	_, ok := to.claim(9)
	assert.False(t, ok)
}

func TestRefuseClearsTheLink(t *testing.T) {
	to := &Timeout{link: new(Timeout)}
	setWord(to, 9, queued, Pending)
	to.refuse(false)
	assert.Nil(t, to.link)
}
