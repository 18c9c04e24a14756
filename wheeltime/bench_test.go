package wheeltime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// Each benchmark compares package time (impl=std) with the wheel, next to the same number of other
// pending timeouts:
//
//	go test -run '^$' -bench . -benchmem ./wheeltime

// compare runs std and wheel in parallel on all processors.
func compare(
	b *testing.B, std func() (each func(), end func()), wheel func(tm *hashedwheel.Timer) (each func(), end func()),
) {
	for _, pending := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("pending=%d/impl=std", pending), func(b *testing.B) {
			for range pending {
				defer time.AfterFunc(time.Hour, timertest.Nop).Stop()
			}
			inParallel(b, std)
		})
		b.Run(fmt.Sprintf("pending=%d/impl=wheel", pending), func(b *testing.B) {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
			defer tm.Stop()
			for range pending {
				tm.AfterFunc(time.Hour, timertest.Nop)
			}
			tm.Pending()
			inParallel(b, func() (each func(), end func()) { return wheel(tm) })
		})
	}
}

func inParallel(b *testing.B, start func() (each func(), end func())) {
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		each, end := start()
		for pb.Next() {
			each()
		}
		end()
	})
	b.StopTimer()
}

// BenchmarkNewTimerStop is a deadline for a call.
func BenchmarkNewTimerStop(b *testing.B) {
	compare(b, func() (each func(), end func()) {
		return func() { time.NewTimer(30 * time.Second).Stop() }, timertest.Nop
	}, func(tm *hashedwheel.Timer) (each func(), end func()) {
		return func() { wheeltime.NewTimer(tm, 30*time.Second).Stop() }, timertest.Nop
	})
}

func BenchmarkAfterFuncReset(b *testing.B) {
	compare(b, func() (each func(), end func()) {
		t := time.AfterFunc(time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }, func() { t.Stop() }
	}, func(tm *hashedwheel.Timer) (each func(), end func()) {
		t := wheeltime.AfterFunc(tm, time.Hour, timertest.Nop)
		return func() { t.Reset(time.Hour) }, func() { t.Stop() }
	})
}

// BenchmarkAfter never waits for its channels. Each call keeps a timeout pending for a second.
func BenchmarkAfter(b *testing.B) {
	compare(b, func() (each func(), end func()) {
		return func() { time.After(time.Second) }, timertest.Nop
	}, func(tm *hashedwheel.Timer) (each func(), end func()) {
		return func() { wheeltime.After(tm, time.Second) }, timertest.Nop
	})
}
