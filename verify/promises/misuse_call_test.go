package promises

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

type everySecond struct{}

func (everySecond) Next(now time.Time) time.Time { return now.Add(time.Second) }

func TestZeroTimerPanicsWithTheNameOfItsConstructor(t *testing.T) {
	for name, call := range map[string]func(tm *hashedwheel.Timer){
		"AfterFunc": func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Second, timertest.Nop) },
		"Schedule":  func(tm *hashedwheel.Timer) { _, _ = tm.Schedule(time.Second, timertest.NopTask) },
		"Reset":     func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).Reset(time.Second) },
		"ResetAt":   func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).ResetAt(time.Now()) },
		"After":     func(tm *hashedwheel.Timer) { tm.After(time.Second) },
		"Every":     func(tm *hashedwheel.Timer) { tm.Every(time.Second, func(*hashedwheel.Series) {}) },
		"EveryFrom": func(tm *hashedwheel.Timer) {
			tm.EveryFrom(time.Now(), time.Second, func(*hashedwheel.Series) {})
		},
		"Recur":    func(tm *hashedwheel.Timer) { tm.Recur(everySecond{}, func(*hashedwheel.Series) {}) },
		"Now":      func(tm *hashedwheel.Timer) { tm.Now() },
		"Pending":  func(tm *hashedwheel.Timer) { tm.Pending() },
		"NextDue":  func(tm *hashedwheel.Timer) { tm.NextDue() },
		"Stats":    func(tm *hashedwheel.Timer) { tm.Stats() },
		"Sample":   func(tm *hashedwheel.Timer) { tm.Sample(1) },
		"Stop":     func(tm *hashedwheel.Timer) { tm.StopAll() },
		"Shutdown": func(tm *hashedwheel.Timer) { _, _ = tm.Shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			tm := new(hashedwheel.Timer)
			for range 2 { // the first leaves no lock behind
				const message = "hashedwheel: use of a Timer that was not made by New or MustNew"
				assert.PanicsWithValue(t, message, func() { call(tm) })
			}
		})
	}
}

// A mistake in the program panics at the call, as in the time package, and the message names it.
func TestMisusePanics(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
	pending := tm.AfterFunc(time.Hour, timertest.Nop)
	stopped := tm.AfterFunc(time.Hour, timertest.Nop)
	stopped.Stop()
	var unbound hashedwheel.Timeout
	for _, misuse := range []struct {
		message string
		f       func()
	}{
		{"AfterFunc with a nil func", func() { tm.AfterFunc(time.Second, nil) }},
		{"Schedule with a nil Task", func() { _, _ = tm.Schedule(time.Second, nil) }},
		{"Schedule with a nil Task", func() { _, _ = tm.Schedule(time.Second, hashedwheel.TaskFunc(nil)) }},
		{"Init with a nil Timer", func() { unbound.Init(nil, timertest.NopTask) }},
		{"Init with a nil Task", func() { unbound.Init(tm, nil) }},
		{"Init with a nil Task", func() { unbound.Init(tm, hashedwheel.TaskFunc(nil)) }},
		{"InitFunc with a nil func", func() { unbound.InitFunc(tm, nil) }},
		{"Init of a Timeout that is Pending", func() { pending.Init(tm, timertest.NopTask) }},
		{"Init of a Timeout that is Canceled", func() { stopped.Init(tm, timertest.NopTask) }},
		{"Reset before Init", func() { unbound.Reset(time.Second) }},
		{"ResetAt before Init", func() { unbound.ResetAt(time.Now()) }},
		{"Move before Init", func() { unbound.Move(time.Second) }},
		{"MoveAt before Init", func() { unbound.MoveAt(time.Now()) }},
	} {
		assert.PanicsWithValue(t, "hashedwheel: "+misuse.message, misuse.f)
	}
	assert.Equal(t, 1, tm.Pending(), "the misuse had no effect")
}
