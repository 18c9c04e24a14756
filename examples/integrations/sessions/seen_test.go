package sessions

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

var _ middleware.ExpiringKeyRepository = Seen{}

func TestKeyIsADuplicateOnlyWithinTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
		s := NewSeen(tm, time.Minute)
		isDuplicate := func(key string) bool {
			duplicate, err := s.IsDuplicate(t.Context(), key)
			require.NoError(t, err)
			return duplicate
		}
		require.False(t, isDuplicate("a"))
		require.False(t, isDuplicate("b"))
		time.Sleep(time.Minute - 1)
		require.True(t, isDuplicate("a"), "a message that is received again does not move the window")
		time.Sleep(2 * time.Millisecond)
		require.False(t, isDuplicate("a"))
		require.Equal(t, 1, tm.Pending(), "b has been forgotten")
	})
}

func TestIsDuplicateReturnsTheErrorOfTheTimer(t *testing.T) {
	tm := hashedwheel.MustNew()
	tm.StopAll()
	_, err := NewSeen(tm, time.Minute).IsDuplicate(t.Context(), "a")
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}
