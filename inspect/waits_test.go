package inspect_test

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/inspect"
)

// A thousand goroutines share the only processor.
func TestWaitsAndReadyGoroutinesAreOnThePage(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tm, clock := newTimer(t)
	tm.AfterFunc(time.Second, func() {})
	clock.Advance(time.Minute)
	h := inspect.Handler(timers{"calls": tm})
	var all sync.WaitGroup
	var stop atomic.Bool
	for range 1000 {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	time.Sleep(600 * time.Millisecond) // a shorter time has no waits
	got := page(h)
	stop.Store(true)
	all.Wait()
	ready := regexp.MustCompile(`>([\d,]+) for 1 processor<`).FindStringSubmatch(got)
	require.NotNil(t, ready)
	n, err := strconv.Atoi(strings.ReplaceAll(ready[1], ",", ""))
	require.NoError(t, err)
	assert.InDelta(t, 1000, n, 100)
	assert.Regexp(t, `wait for a processor, over the last [^<]+</th><td>within \d`, got)
}
