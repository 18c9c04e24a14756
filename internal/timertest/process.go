package timertest

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// Lasting divides the length of a test in real time by five under -short.
func Lasting(d time.Duration) time.Duration {
	if testing.Short() {
		return d / 5
	}
	return d
}

// Returns fails the test if f is stuck, with the stacks of all goroutines: a deadlock on a mutex stops a bubble's time,
// so these tests run in real time.
func Returns(t *testing.T, f func()) {
	t.Helper()
	ReturnsWithin(t, 30*time.Second, f)
}

// ReturnsWithin is Returns with a limit other than 30 seconds.
func ReturnsWithin(t *testing.T, linger time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(linger):
		require.FailNow(t, "deadlock: a call did not return", "%s", stacks())
	}
}

// IsClosed reports whether c is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Wakeups returns how often the worker wakes up while d of the bubble's time passes.
func Wakeups(tm *hashedwheel.Timer, d time.Duration) uint64 {
	before := tm.Stats().Wakeups
	Pass(d)
	return tm.Stats().Wakeups - before
}

const library = "github.com/hashedwheel/hashedwheel."

// LibraryGoroutines returns how many goroutines the library has started, by itself or through the time package. In a
// bubble it counts those of the bubble: others may still be ending after earlier tests.
func LibraryGoroutines() (n int) {
	all := strings.Split(string(stacks()), "\n\n")
	mine := bubbleOf(all[0])
	for _, g := range all {
		if bubbleOf(g) == mine && isOfLibrary(g) {
			n++
		}
	}
	return n
}

// stacks returns the stacks of all goroutines, this one first.
func stacks() []byte {
	for size := 1 << 20; ; size *= 2 {
		all := make([]byte, size)
		if n := runtime.Stack(all, true); n < size {
			return all[:n]
		}
	}
}

// bubbleOf returns the bubble in the first line of a goroutine's stack, if there is one.
func bubbleOf(g string) string {
	head, _, _ := strings.Cut(g, "]:\n")
	_, bubble, _ := strings.Cut(head, "synctest bubble ")
	return bubble
}

func isOfLibrary(g string) bool {
	calls, by, _ := strings.Cut(g, "created by ")
	isTimers := strings.HasPrefix(by, "time.goFunc") && strings.HasPrefix(outermost(calls), library)
	return isTimers || strings.HasPrefix(by, library)
}

// outermost returns the last function of a stack: two lines each, and an empty end.
func outermost(stack string) string {
	lines := strings.Split(stack, "\n")
	return lines[max(0, len(lines)-3)]
}

// Heap returns how many bytes are alive after two collections: pools keep their objects through the first. It is
// signed: garbage of earlier tests may be freed between two calls.
func Heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// AssertGarbage fails the test if the object that p points to outlives a collection.
func AssertGarbage[T any](t *testing.T, p weak.Pointer[T], what string) {
	t.Helper()
	runtime.GC()
	assert.True(t, p.Value() == nil, "%s is kept", what) // Nil would print p's value, and so read it
}
