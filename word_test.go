package hashedwheel

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The table of begin: a timeout is fresh if only the queue can hold it.
func TestBeginMakesATimeoutFreshOnlyIfItIsNowhereElse(t *testing.T) {
	const inQueue, freshInQueue = queued, queued | fresh
	for _, row := range []struct {
		state       State
		flags, want int64
	}{
		{Unarmed, 0, freshInQueue},
		{Expired, 0, freshInQueue},
		{Expired, inQueue, inQueue},
		{Canceled, 0, freshInQueue},
		{Canceled, inQueue, inQueue},
		{Canceled, freshInQueue, freshInQueue},
		{Rejected, 0, freshInQueue},
		{Rejected, inQueue, inQueue},
		{rejectedStopped, 0, freshInQueue},
	} {
		t.Run(fmt.Sprintf("%d, %b", row.state, row.flags), func(t *testing.T) {
			to := new(Timeout)
			setWord(to, 9, row.flags, row.state)
			push, ok := to.begin(to.load(), 50)
			assert.True(t, ok)
			assert.Equal(t, row.flags&queued == 0, push)
			assert.Equal(t, pack(50, row.want, Pending), to.load())
		})
	}
}

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

// Otherwise a moved timeout that is stopped cannot be pruned.
func TestMoveLeavesATimeoutFresh(t *testing.T) {
	to := new(Timeout)
	setWord(to, 9, queued|fresh, Pending)
	push, ok := to.move(to.load(), 5)
	assert.True(t, ok && !push)
	assert.Equal(t, pack(5, queued|fresh, Pending), to.load())
}

// A pruner has read the word of a zombie, which is then armed again: it stays in the queue, with its link.
func TestDropOfAnOutdatedWordLeavesTheLink(t *testing.T) {
	below := new(Timeout)
	to := &Timeout{link: below}
	setWord(to, 9, queued|fresh, Pending)
	assert.False(t, to.drop(pack(9, queued|fresh, Canceled)))
	assert.Same(t, below, to.link)
}
