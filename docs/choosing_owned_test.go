package docs

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

type session struct {
	timeout hashedwheel.Timeout
	user    string
}

func newSessions(tm *hashedwheel.Timer, expire hashedwheel.Task) *sync.Pool {
	return &sync.Pool{New: func() any {
		s := new(session)
		s.timeout.Init(tm, expire)
		return s
	}}
}

func release(sessions *sync.Pool, s *session) {
	if !s.timeout.Stop() {
		return // its task may be running: leave it to the collector
	}
	s.user = "" // not *s = session{}, which would overwrite the Timeout
	sessions.Put(s)
}

func TestAPooledSessionIsUsedAgainAndExpiresAtItsTime(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var expired []time.Time
		sessions := newSessions(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
			expired = append(expired, time.Now())
		}))
		for range 100 {
			s := sessions.Get().(*session)
			require.Empty(t, s.user)
			s.user = "ada"
			s.timeout.Reset(time.Minute)
			release(sessions, s)
		}
		s := sessions.Get().(*session)
		deadline := time.Now().Add(time.Minute)
		s.timeout.Reset(time.Minute)
		pass(2 * time.Minute)
		require.Len(t, expired, 1)
		assert.WithinRange(t, expired[0], deadline, deadline.Add(tick))
		release(sessions, s) // too late: it is not put back
		assert.Equal(t, hashedwheel.Expired, s.timeout.State())
	})
}

// onManualClock returns a timer whose Advance panics where a worker would.
func onManualClock() (*hashedwheel.Timer, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	return hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{})), clock
}

func TestASessionThatWasClearedIsFound(t *testing.T) {
	tm, clock := onManualClock()
	s := new(session)
	s.timeout.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	s.timeout.Reset(time.Minute)
	clock.Advance(time.Second) // files it
	*s = session{}
	assert.Panics(t, func() { clock.Advance(time.Hour) })
}

func TestASliceThatGrewIsFound(t *testing.T) {
	tm, clock := onManualClock()
	sessions := make([]session, 1)
	sessions[0].timeout.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	sessions[0].timeout.Reset(time.Minute)
	clock.Advance(time.Second) // files it
	sessions = append(sessions, session{})
	assert.Panics(t, func() {
		sessions[0].timeout.Stop() // of the copy
		clock.Advance(time.Hour)
	})
}

func stopAndWait(t *hashedwheel.Timeout, done <-chan struct{}) {
	if !t.Stop() && t.State() == hashedwheel.Expired {
		<-done // the task is with the executor
	}
}

func TestStopAndWaitWaitsForATaskThatRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		done := make(chan struct{})
		to := tm.AfterFunc(0, func() {
			time.Sleep(time.Hour)
			close(done)
		})
		pass(0)
		begin := time.Now()
		stopAndWait(to, done)
		assert.Greater(t, time.Since(begin), 50*time.Minute)
	})
}

func TestStopAndWaitReturnsForTasksThatNeverRun(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		done := make(chan struct{})
		task := func() { close(done) }
		stopped, left := tm.AfterFunc(time.Hour, task), tm.AfterFunc(time.Hour, task)
		stopAndWait(stopped, done)
		tm.Stop()
		stopAndWait(left, done)
		stopAndWait(tm.AfterFunc(time.Hour, task), done)
		synctest.Wait()
	})
}
