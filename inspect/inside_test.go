package inspect

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

func TestOverdueIsRedBeyondTwoTicks(t *testing.T) {
	const tick = 100 * time.Millisecond
	for d, want := range map[time.Duration]figure{
		0:          {Value: "none", Quiet: true},
		tick:       {Value: "100 ms", Quiet: true},
		tick + 1:   {Value: "100 ms"},
		2 * tick:   {Value: "200 ms"},
		2*tick + 1: {Value: "200 ms", Note: "over two ticks", Alarm: true},
	} {
		want.Label = "Overdue"
		assert.Equal(t, want, overdue(d, tick), d)
	}
}

func TestEventIsRedWhileItGrows(t *testing.T) {
	for _, tt := range []struct {
		before, now uint64
		elapsed     time.Duration
		want        figure
	}{
		{0, 0, time.Hour, figure{Value: "0", Quiet: true}},
		{0, 1, briefest - 1, figure{Value: "1", Alarm: true}}, // too short for a rate
		{1, 3, 4 * time.Second, figure{Value: "3", Note: "0.5/s", Alarm: true}},
		{3, 3, 4 * time.Second, figure{Value: "3"}},
		{4, 3, 4 * time.Second, figure{Value: "3"}}, // a delayed request has an older reading
	} {
		assert.Equal(t, tt.want, event("", tt.before, tt.now, tt.elapsed))
	}
}

// newLateness returns the lateness buckets of a Timer with the given counts.
func newLateness(counts [20]uint64) waits {
	l := hashedwheel.MustNew().Stats().Lateness
	for i, n := range counts {
		l[i].Count = n
	}
	return l
}

func TestWaitsSinceALookAreTheDifference(t *testing.T) {
	now := newLateness([20]uint64{100, 0, 5, 0, 0, 1, 19: 3})
	before := newLateness([20]uint64{100, 0, 1, 0, 0, 1, 19: 1})
	assert.Equal(t, newLateness([20]uint64{0, 0, 4, 19: 2}), now.since(before))
	assert.Zero(t, newLateness([20]uint64{99, 0, 5}).since(now).count(), "an older reading")
}

// A thousand goroutines share one processor.
func TestSchedulerCountsReadyGoroutinesAndTheirWaits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := readScheduler()
	var all sync.WaitGroup
	var stop atomic.Bool
	for range 1000 {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	now := readScheduler()
	stop.Store(true)
	all.Wait()
	assert.InDelta(t, 1000, now.ready, 100)
	assert.Empty(t, scheduler{isUnknown: true}.readiness())
	assert.Regexp(t, `\d for 1 processor$`, now.readiness())
	assert.Regexp(t, `within \d`, now.waited.since(before.waited).within(0.99))
}

func TestPicturesFillTheAxisAndLabelsDoNotOverlap(t *testing.T) {
	for tick, first := range map[time.Duration]string{
		100 * time.Microsecond: "100 µs", 10 * time.Millisecond: "10 ms", 700 * time.Millisecond: "700 ms",
		time.Minute: "1 min", 20 * time.Hour: "20 h", 5 * 365 * day: "5 y",
	} {
		rows := dueRows(tick)
		for i := range rows {
			rows[i].Count = 1
		}
		p := newPicture(timerReport{Tick: tick, Due: rows})
		end := 0.0
		for _, b := range p.Bars {
			assert.InDelta(t, end, b.X, 0.01, b.Hint)
			assert.Greater(t, b.Width, 0.5, b.Hint)
			end = b.X + b.Width
		}
		assert.InDelta(t, 100, end, 0.01)
		assert.Equal(t, first, p.Labels[0].Text)
		last, lastMajor := -100.0, -100.0
		for _, l := range p.Labels {
			assert.Greater(t, l.X-last, 4.5, "%s is too close, with a tick of %v", l.Text, tick)
			last = l.X
			if !l.Minor {
				assert.Greater(t, l.X-lastMajor, 8.5, "%s is too close for a phone, with a tick of %v", l.Text, tick)
				lastMajor = l.X
			}
			assert.LessOrEqual(t, l.X, 100.0)
		}
	}
}
