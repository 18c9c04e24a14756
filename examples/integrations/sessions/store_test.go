package sessions

import (
	"net/http"
	"net/http/httptest"
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

// same runs a test with the store of scs, and with a Store.
func same(t *testing.T, f func(t *testing.T, s store)) {
	t.Run("memstore", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, memstore.NewWithCleanupInterval(0)) })
	})
	t.Run("keyed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tm := hashedwheel.MustNew()
			defer tm.Stop()
			f(t, NewStore(tm))
		})
	})
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// found returns the data of a session, and "none" if there is none.
func found(t *testing.T, s scs.Store, token string) string {
	data, ok, err := s.Find(token)
	require.NoError(t, err)
	if !ok {
		require.Nil(t, data)
		return "none"
	}
	return string(data)
}

// The tests of the memstore of scs, and what its interfaces promise.
func TestStoreKeepsSessionsUntilTheyExpireOrAreDeleted(t *testing.T) {
	same(t, func(t *testing.T, s store) {
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
	})
}

func TestExpiredSessionsLeaveMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		s := NewStore(tm)
		require.NoError(t, s.Commit("token", nil, in(time.Minute)))
		require.Equal(t, 1, s.sessions.Len())
		time.Sleep(time.Minute + tm.Tick())
		synctest.Wait()
		require.Zero(t, s.sessions.Len())
	})
}

func TestCommitReturnsTheErrorOfTheTimer(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
	s := NewStore(tm)
	require.NoError(t, s.Commit("a", nil, in(time.Hour)))
	require.ErrorIs(t, s.Commit("b", nil, in(time.Hour)), hashedwheel.ErrFull)
	tm.Stop()
	require.ErrorIs(t, s.Commit("b", nil, in(time.Hour)), hashedwheel.ErrStopped)
}

// Each request within the idle timeout keeps the session. A session counts the requests.
func TestIdleTimeoutOfTheSessionManager(t *testing.T) {
	manager := scs.New() // has a goroutine, which would not end in the bubble
	same(t, func(t *testing.T, s store) {
		manager.Store, manager.IdleTimeout = s, time.Minute
		requests, cookie := 0, ""
		server := manager.LoadAndSave(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			requests = manager.GetInt(r.Context(), "requests") + 1
			manager.Put(r.Context(), "requests", requests)
		}))
		for _, step := range []struct {
			pause    time.Duration
			requests int
		}{{0, 1}, {59 * time.Second, 2}, {59 * time.Second, 3}, {61 * time.Second, 1}, {0, 2}} {
			time.Sleep(step.pause)
			r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			r.Header.Set("Cookie", cookie)
			server.ServeHTTP(w, r)
			cookie = w.Header().Get("Set-Cookie")
			require.Equal(t, step.requests, requests)
		}
	})
}
