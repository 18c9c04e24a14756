package timertest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// RunLog is a Task that notes the times at which it ran.
type RunLog struct {
	mu sync.Mutex
	at []time.Time // guarded by mu
}

// Run notes the time.
func (l *RunLog) Run(*hashedwheel.Timeout) { l.Note() }

// Note notes the time.
func (l *RunLog) Note() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = append(l.at, time.Now())
}

// Times returns the times at which it ran, in order.
func (l *RunLog) Times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// Count returns how often it ran.
func (l *RunLog) Count() int { return len(l.Times()) }

// LateLog notes how late timeouts are.
type LateLog struct {
	mu   sync.Mutex
	late []time.Duration // guarded by mu
}

// In returns a task that is due d from now, and notes how late it runs.
func (l *LateLog) In(d time.Duration) func() {
	due := time.Now().Add(d)
	return func() {
		late := time.Since(due)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.late = append(l.late, late)
	}
}

// Count returns how many of its tasks have run.
func (l *LateLog) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.late)
}

// Assert fails the test unless n tasks have run, none early and none later than late. It returns how late they were in
// total and at most.
func (l *LateLog) Assert(t *testing.T, n int, late time.Duration) (sum, most time.Duration) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Len(t, l.late, n)
	for _, d := range l.late {
		sum += d
	}
	most = slices.Max(l.late)
	require.GreaterOrEqual(t, slices.Min(l.late), time.Duration(0), "early")
	require.LessOrEqual(t, most, late, "late")
	return sum, most
}

// Lateness arms a timeout for each delay and returns how long after its deadline each ran. A negative delay means now.
func Lateness(tm *hashedwheel.Timer, delays []time.Duration) []time.Duration {
	late := make([]time.Duration, len(delays))
	var ran sync.WaitGroup
	for i, d := range delays {
		ran.Add(1)
		deadline := time.Now().Add(max(d, 0))
		tm.AfterFunc(d, func() {
			late[i] = time.Since(deadline)
			ran.Done()
		})
	}
	ran.Wait()
	return late
}
