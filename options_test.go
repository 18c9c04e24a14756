package hashedwheel_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestNewRefusesBadOptions(t *testing.T) {
	for _, bad := range []struct {
		option hashedwheel.Option
		names  string // the option and the value
	}{
		{hashedwheel.WithTick(0), "WithTick(0s)"},
		{hashedwheel.WithTick(-time.Second), "WithTick(-1s)"},
		{hashedwheel.WithTick(99 * time.Microsecond), "WithTick(99µs)"},
		{hashedwheel.WithTick(math.MaxInt64), "WithTick(2562047h47m16.854775807s)"},
		{hashedwheel.WithWheelSize(0), "WithWheelSize(0)"},
		{hashedwheel.WithWheelSize(-512), "WithWheelSize(-512)"},
		{hashedwheel.WithWheelSize(1<<16 + 1), "WithWheelSize(65537)"},
		{hashedwheel.WithMaxPending(-1), "WithMaxPending(-1)"},
		{hashedwheel.WithExecutor(nil), "WithExecutor: must not be nil"},
		{hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(nil)), "WithExecutor: must not be nil"},
		{hashedwheel.WithClock(nil), "WithClock: must not be nil"},
		{hashedwheel.WithPanicHandler(nil), "WithPanicHandler: must not be nil"},
		{nil, "nil Option"},
	} {
		t.Run(bad.names, func(t *testing.T) {
			tm, err := hashedwheel.New(hashedwheel.WithWheelSize(1), bad.option)
			require.Error(t, err)
			assert.Nil(t, tm)
			assert.Regexp(t, "^hashedwheel: ", err.Error())
			assert.Contains(t, err.Error(), bad.names)
			assert.PanicsWithError(t, err.Error(), func() { hashedwheel.MustNew(bad.option) })
		})
	}
}

func TestNewTakesOptionsAtTheirLimits(t *testing.T) {
	for name, option := range map[string]hashedwheel.Option{
		"the shortest tick":      hashedwheel.WithTick(100 * time.Microsecond),
		"a tick of a year":       hashedwheel.WithTick(365 * 24 * time.Hour),
		"one bucket":             hashedwheel.WithWheelSize(1),
		"the largest wheel":      hashedwheel.WithWheelSize(1 << 16),
		"no bound":               hashedwheel.WithMaxPending(0),
		"the largest bound":      hashedwheel.WithMaxPending(math.MaxInt),
		"a pool as it is":        hashedwheel.WithExecutor(new(sync.WaitGroup)),
		"a pointer to an Inline": hashedwheel.WithExecutor(new(hashedwheel.Inline)),
		"a clock as it is":       hashedwheel.WithClock(hashedwheel.NewManualClock(time.Time{})),
	} {
		t.Run(name, func(t *testing.T) {
			tm, err := hashedwheel.New(option)
			require.NoError(t, err)
			to := tm.AfterFunc(time.Hour, timertest.Nop)
			assert.Equal(t, []*hashedwheel.Timeout{to}, tm.StopAll())
		})
	}
}
