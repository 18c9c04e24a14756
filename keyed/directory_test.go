package keyed_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
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
	maps, before := make([]any, n), timertest.Heap()
	for i := range maps {
		maps[i] = open()
	}
	after := timertest.Heap()
	runtime.KeepAlive(maps)
	return int(after-before) / n
}

// A program may have a hundred thousand maps: one for each tenant.
func TestEmptyMapIsSmallOn64Processors(t *testing.T) {
	onProcessors(t, 64, func() {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		each := bytesOf(t, 1000, func() any { return keyed.New(tm, func(int, int) {}) })
		t.Logf("%d bytes", each)
		assert.Less(t, each, 1024)
	})
}

func TestMapOfFewKeysStaysSmallOn64ProcessorsAfterManyKeys(t *testing.T) {
	const keys, rounds = 10, 300
	onProcessors(t, 64, func() {
		clock := hashedwheel.NewManualClock(time.Now())
		tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
		defer tm.Stop()
		each := bytesOf(t, 30, func() any {
			m := keyed.New(tm, func(int, int) {})
			for k := range keys * rounds {
				_ = m.Set(k, k, time.Hour)
				m.Delete(k - keys)
			}
			clock.Advance(time.Second) // the wheel lets go of deleted timeouts
			return m
		})
		t.Logf("%d bytes with %d keys", each, keys)
		assert.Less(t, each, 8192)
	})
}

func TestMapOfManyKeysHas128ShardsAProcessor(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		onProcessors(t, n, func() {
			want := map[int]int{1: 128, 2: 256, 3: 512}[n]
			m := filled(t, 300*want)
			assert.Equal(t, want, m.Shards())
			assert.Equal(t, 300*want, m.Len())
		})
	}
}

// More goroutines than processors compete for few keys.
func TestShardsThatGoroutinesWaitForAreSplit(t *testing.T) {
	if runtime.NumCPU() == 1 || runtime.GOMAXPROCS(0) == 1 {
		t.Skip("they hardly ever wait for each other")
	}
	m := filled(t, 0)
	require.Eventually(t, func() bool {
		var running sync.WaitGroup
		for g := range 8 {
			running.Go(func() {
				for i := range 5000 {
					_ = m.Set(g*5000+i, i, time.Hour)
					m.Delete(g*5000 + i)
				}
			})
		}
		running.Wait()
		return m.Shards() > 4
	}, time.Minute, time.Millisecond)
}

func TestShardOfOneBusyKeyIsNotSplit(t *testing.T) {
	m := filled(t, 1)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 20_000 {
				m.Touch(0, time.Hour)
			}
		})
	}
	running.Wait()
	assert.Equal(t, 1, m.Shards())
}

// A run finds the new home of its entry while the split still fills it.
func TestEntriesExpireWhileTheirShardIsSplit(t *testing.T) {
	const rounds, keys = 300, 60
	for range rounds {
		clock, h := hashedwheel.NewManualClock(time.Now()), new(timertest.HeldBack)
		tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithClock(clock), hashedwheel.WithExecutor(h))
		expired := 0
		m := keyed.New(tm, func(int, int) { expired++ })
		for k := range keys {
			require.NoError(t, m.Set(k, k, 0))
		}
		clock.Advance(tick)
		split := make(chan struct{})
		go func() {
			defer close(split)
			m.Split()
		}()
		h.Release()
		<-split
		require.Equal(t, keys, expired)
		require.Zero(t, m.Len())
		tm.Stop()
	}
}
