package keyed_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// onProcessors runs f as if there were n processors.
func onProcessors(t *testing.T, n int, f func()) {
	before := runtime.GOMAXPROCS(n)
	defer runtime.GOMAXPROCS(before)
	f()
}

// bytesOf returns the size of a map that open returns, in bytes.
func bytesOf(t *testing.T, n int, open func() any) int {
	if timertest.Race {
		t.Skip("it counts bytes, in one goroutine")
	}
	maps, before := make([]any, n), timertest.Heap()
	for i := range maps {
		maps[i] = open()
	}
	after := timertest.Heap()
	runtime.KeepAlive(maps)
	return int(after-before) / n
}

// A program may have a hundred thousand maps: one for each tenant. Many other keys have been in each.
func TestMapOfFewKeysIsSmallOn64Processors(t *testing.T) {
	for keys, limit := range map[int]int{0: 1024, 10: 8192} {
		onProcessors(t, 64, func() {
			clock, tm := timertest.NewManual()
			defer tm.StopAll()
			each := bytesOf(t, 300, func() any {
				m := keyed.New(tm, func(int, int) {})
				for k := range 100 * keys {
					_ = m.Set(k, k, time.Hour)
					m.Delete(k - keys)
				}
				clock.Advance(time.Second) // the wheel lets go of deleted timeouts
				return m
			})
			t.Logf("%d bytes with %d keys", each, keys)
			assert.Less(t, each, limit)
		})
	}
}

func TestMapOfManyKeysHas128ShardsAProcessor(t *testing.T) {
	for n, want := range map[int]int{1: 128, 2: 256, 3: 512} {
		onProcessors(t, n, func() {
			m := filled(t, 300*want)
			assert.Equal(t, want, m.Shards())
			assert.Equal(t, 300*want, m.Len())
		})
	}
}

// compete calls do in more goroutines than there are processors.
func compete(do func(g, i int)) {
	var running sync.WaitGroup
	for g := range 8 {
		running.Go(func() {
			for i := range 20_000 {
				do(g, i)
			}
		})
	}
	running.Wait()
}

func TestShardsThatGoroutinesWaitForAreSplit(t *testing.T) {
	if runtime.NumCPU() == 1 || runtime.GOMAXPROCS(0) == 1 {
		t.Skip("they hardly ever wait for each other")
	}
	m := filled(t, 0)
	require.Eventually(t, func() bool {
		compete(func(g, i int) {
			_ = m.Set(8*i+g, i, time.Hour)
			m.Delete(8*i + g)
		})
		return m.Shards() > 4
	}, time.Minute, time.Millisecond)
}

func TestShardOfOneBusyKeyIsNotSplit(t *testing.T) {
	m := filled(t, 1)
	compete(func(int, int) { m.Touch(0, time.Hour) })
	assert.Equal(t, 1, m.Shards())
}
