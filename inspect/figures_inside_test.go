package inspect

import (
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
		79 * tick:  {Value: "7.9 s", Note: "over two ticks", Alarm: true},
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
		{0, 1, briefest - 1, figure{Value: "1", Alarm: true}}, // too soon for a rate
		{1, 3, 4 * time.Second, figure{Value: "3", Note: "0.5/s", Alarm: true}},
		{3, 3, 4 * time.Second, figure{Value: "3"}},
		{4, 3, 4 * time.Second, figure{Value: "3"}}, // a request that was held up has the older reading
	} {
		assert.Equal(t, tt.want, event("", tt.before, tt.now, tt.elapsed))
	}
}

func TestFullnessIsRoundedDown(t *testing.T) {
	for pending, want := range map[int]string{
		0: "0% of 1,000", 4: "0.4% of 1,000", 99: "9.9% of 1,000", 999: "99% of 1,000", 1000: "100% of 1,000",
	} {
		assert.Equal(t, want, fullness(hashedwheel.Stats{Pending: pending, MaxPending: 1000}))
	}
	assert.Empty(t, fullness(hashedwheel.Stats{Pending: 1000}))
}

func TestSpeedHasADecimalPlaceIfItIsSmall(t *testing.T) {
	for perSecond, want := range map[float64]string{
		0: "0/s", 0.09: "<0.1/s", 0.095: "0.1/s", 1: "1.0/s", 9.94: "9.9/s", 9.95: "10/s", 4321.4: "4,321/s",
	} {
		assert.Equal(t, want, speed(perSecond))
	}
}

func TestSpanIsInTheFittingUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                       "0",
		100 * time.Nanosecond:   "100 ns",
		1234 * time.Microsecond: "1.2 ms",
		9940 * time.Microsecond: "9.9 ms",
		9960 * time.Microsecond: "10 ms",
		15 * time.Millisecond:   "15 ms",
		time.Second:             "1 s",
		90 * time.Second:        "1.5 min",
		36 * time.Hour:          "1.5 d",
		10 * time.Hour:          "10 h",
		730 * day:               "2 y",
	} {
		assert.Equal(t, want, span(d))
	}
}
