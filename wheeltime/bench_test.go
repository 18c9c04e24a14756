package wheeltime_test

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// Each benchmark compares the time package (impl=std) with the wheel:
//
//	go test -run '^$' -bench . -benchmem ./wheeltime

// compare runs, on all processors, the operations that std and wheel return; each goroutine calls std or wheel once.
func compare(b *testing.B, std func() (op func()), wheel func(tm *hashedwheel.Timer) (op func())) {
	b.Run("impl=std", func(b *testing.B) { inParallel(b, std) })
	b.Run("impl=wheel", func(b *testing.B) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
		defer tm.StopAll()
		inParallel(b, func() (op func()) { return wheel(tm) })
	})
}

func inParallel(b *testing.B, start func() (op func())) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for op := start(); pb.Next(); {
			op()
		}
	})
}

// BenchmarkNewTimerStop is a deadline for a call.
func BenchmarkNewTimerStop(b *testing.B) {
	compare(b, func() (op func()) {
		return func() { time.NewTimer(30 * time.Second).Stop() }
	}, func(tm *hashedwheel.Timer) (op func()) {
		return func() { wheeltime.NewTimer(tm, 30*time.Second).Stop() }
	})
}

func BenchmarkAfterFuncReset(b *testing.B) {
	compare(b, func() (op func()) {
		t := time.AfterFunc(time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }
	}, func(tm *hashedwheel.Timer) (op func()) {
		t := wheeltime.AfterFunc(tm, time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }
	})
}

// BenchmarkAfter never waits for its channels. Each call keeps a timeout pending for a second.
func BenchmarkAfter(b *testing.B) {
	compare(b, func() (op func()) {
		return func() { time.After(time.Second) }
	}, func(tm *hashedwheel.Timer) (op func()) {
		return func() { wheeltime.After(tm, time.Second) }
	})
}
