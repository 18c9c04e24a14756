package hashedwheel

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whoever wraps an executor of the package calls its Go.
func TestInlineHasRunTheTaskWhenGoReturns(t *testing.T) {
	ran := false
	Inline{}.Go(func() { ran = true })
	assert.True(t, ran)
}

func TestTheDefaultExecutorDoesNotWaitForTheTask(t *testing.T) {
	var done sync.WaitGroup
	done.Add(1)
	held := make(chan struct{})
	defaults().executor.Go(func() {
		defer done.Done()
		<-held
	})
	close(held)
	done.Wait()
}
