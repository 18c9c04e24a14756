package promises

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestZeroTimerPanicsWithTheNameOfItsConstructor(t *testing.T) {
	for name, call := range map[string]func(tm *hashedwheel.Timer){
		"AfterFunc": func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Second, timertest.Nop) },
		"Schedule":  func(tm *hashedwheel.Timer) { _, _ = tm.Schedule(time.Second, timertest.NopTask) },
		"Reset":     func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).Reset(time.Second) },
		"ResetAt":   func(tm *hashedwheel.Timer) { timertest.Owned(tm, timertest.NopTask).ResetAt(time.Now()) },
		"After":     func(tm *hashedwheel.Timer) { tm.After(time.Second) },
		"Every":     func(tm *hashedwheel.Timer) { tm.Every(time.Second, func(*hashedwheel.Series) {}) },
		"EveryFrom": func(tm *hashedwheel.Timer) { tm.EveryFrom(time.Now(), time.Second, func(*hashedwheel.Series) {}) },
		"Recur":     func(tm *hashedwheel.Timer) { tm.Recur(everySecond{}, func(*hashedwheel.Series) {}) },
		"Now":       func(tm *hashedwheel.Timer) { tm.Now() },
		"Pending":   func(tm *hashedwheel.Timer) { tm.Pending() },
		"Next":      func(tm *hashedwheel.Timer) { tm.Next() },
		"Stats":     func(tm *hashedwheel.Timer) { tm.Stats() },
		"Sample":    func(tm *hashedwheel.Timer) { tm.Sample(1) },
		"Stop":      func(tm *hashedwheel.Timer) { tm.Stop() },
		"Shutdown":  func(tm *hashedwheel.Timer) { _, _ = tm.Shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			tm := new(hashedwheel.Timer)
			for range 2 { // the first leaves no lock behind
				assert.PanicsWithValue(t, "hashedwheel: use of a Timer that was not made by New or MustNew", func() { call(tm) })
			}
		})
	}
}
