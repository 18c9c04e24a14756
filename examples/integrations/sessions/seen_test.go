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
		s, err := NewSeen(tm, time.Minute)
		require.NoError(t, err)
		isDuplicate := func(key string) bool {
			duplicate, err := s.IsDuplicate(t.Context(), key)
			require.NoError(t, err)
			return duplicate
		}
		require.False(t, isDuplicate("a"))
		require.False(t, isDuplicate("b"))
		require.Equal(t, 2, s.Len())
		time.Sleep(time.Minute - 1)
		require.True(t, isDuplicate("a"), "a message that is received again does not move the window")
		time.Sleep(2 * time.Millisecond)
		require.False(t, isDuplicate("a"))
		synctest.Wait()
		require.Equal(t, 1, s.Len(), "b has been forgotten")
	})
}

func TestIsDuplicateReturnsTheErrorOfTheTimer(t *testing.T) {
	tm := hashedwheel.MustNew()
	tm.StopAll()
	s, err := NewSeen(tm, time.Minute)
	require.NoError(t, err)
	_, err = s.IsDuplicate(t.Context(), "a")
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}

func TestWindowBelowAMillisecondIsRefusedAsByWatermill(t *testing.T) {
	for _, window := range []time.Duration{-1, 0, time.Millisecond - 1} {
		_, theirs := middleware.NewMapExpiringKeyRepository(window)
		_, ours := NewSeen(hashedwheel.MustNew(), window)
		require.EqualError(t, ours, theirs.Error())
	}
	_, err := NewSeen(hashedwheel.MustNew(), time.Millisecond)
	require.NoError(t, err)
}
