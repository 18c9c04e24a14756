package sessions

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

type store interface {
	scs.Store
	scs.IterableStore
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// found returns the data of a session, or "none" if there is no session.
func found(t *testing.T, s scs.Store, token string) string {
	data, ok, err := s.Find(token)
	require.NoError(t, err)
	if !ok {
		require.Nil(t, data)
		return "none"
	}
	return string(data)
}

// The cases are those of scs's tests of its memstore, and the promises of scs's interfaces.
func TestStoreKeepsSessionsUntilTheyExpireOrAreDeleted(t *testing.T) {
	for name, open := range map[string]func(tm *hashedwheel.Timer) store{
		"memstore": func(*hashedwheel.Timer) store { return memstore.NewWithCleanupInterval(0) },
		"keyed":    func(tm *hashedwheel.Timer) store { return NewStore(tm) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := hashedwheel.MustNew()
				defer tm.StopAll()
				testStore(t, open(tm))
				synctest.Wait()
				require.Zero(t, tm.Pending(), "an expired session is in memory")
			})
		})
	}
}

func testStore(t *testing.T, s store) {
	all, err := s.All()
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{}, all)
	require.Equal(t, "none", found(t, s, "missing"))
	require.NoError(t, s.Delete("missing"))

	require.NoError(t, s.Commit("a", []byte("old"), in(time.Minute)))
	require.NoError(t, s.Commit("b", []byte("data"), in(time.Second)))
	require.NoError(t, s.Commit("c", []byte("data"), in(time.Minute)))
	require.Equal(t, "old", found(t, s, "a"))
	require.NoError(t, s.Commit("a", []byte("new"), in(time.Hour)))
	require.NoError(t, s.Delete("c"))
	require.Equal(t, "none", found(t, s, "c"))
	time.Sleep(time.Second - 1)
	require.Equal(t, "data", found(t, s, "b"))
	time.Sleep(2 * time.Millisecond)
	require.Equal(t, "none", found(t, s, "b"))
	time.Sleep(time.Minute)
	require.Equal(t, "new", found(t, s, "a"))
	all, err = s.All()
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"a": []byte("new")}, all)

	require.NoError(t, s.Commit("a", []byte("past"), in(-time.Second)))
	time.Sleep(2 * time.Millisecond)
	require.Equal(t, "none", found(t, s, "a"))
}

func TestCommitReturnsTheErrorOfTheTimer(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
	s := NewStore(tm)
	require.NoError(t, s.Commit("a", nil, in(time.Hour)))
	require.ErrorIs(t, s.Commit("b", nil, in(time.Hour)), hashedwheel.ErrFull)
	tm.StopAll()
	require.ErrorIs(t, s.Commit("b", nil, in(time.Hour)), hashedwheel.ErrStopped)
}
