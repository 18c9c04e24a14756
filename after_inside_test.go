package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A channel that has been closed before its caller adds it must not stay in the table: nothing would remove it.
func TestAfterThatHasEndedIsNotKept(t *testing.T) {
	tm := MustNew()
	defer tm.StopAll()
	s := &sharedTick{at: 1, done: make(chan struct{})}
	s.to.Init(tm, s).Reset(time.Hour)
	s.to.Stop()
	require.Same(t, s, tm.after.add(s))
	require.Empty(t, tm.after.pending)
}
