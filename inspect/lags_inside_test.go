package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLatenessIsSummarizedInWords(t *testing.T) {
	for want, counts := range map[string][20]uint64{
		"":                  {},
		"99% within 100 µs": {7},
		"99% within 200 µs": {0, 7},
		"half within 100 µs, 99% within 400 µs": {50, 0, 50},
		"half within 100 µs, 99% within 800 µs": {980, 0, 0, 19, 1},
		"half within 100 µs, 99% within 1.6 ms": {970, 0, 0, 9, 11, 0, 0, 0, 0, 0, 10},
		"half within 100 µs, 99% over 26 s":     {98, 19: 2},
		"99% over 26 s":                         {19: 3},
	} {
		assert.Equal(t, want, newLags(counts).summary())
	}
}

func TestLatenessHasItsPicture(t *testing.T) {
	var b strings.Builder
	r := report{Timers: []timerReport{{Name: "calls", Tick: time.Second, Due: dueRows(time.Second), Lags: newLags([20]uint64{1000, 500, 0, 0, 1, 19: 2})}}}
	require.NoError(t, newPage().write(&b, r, r))
	got := b.String()
	assert.Contains(t, got, "<h3>How late tasks were handed out <small>half within 100 µs, 99% within 200 µs</small></h3>")
	for _, row := range []string{
		`<tr><th scope="row">within 100 µs</th><td class="count">1,000</td></tr>`,
		`<tr><th scope="row">100 µs to 200 µs</th><td class="count">500</td></tr>`,
		`<tr><th scope="row">800 µs to 1.6 ms</th><td class="count">1</td></tr>`,
		`<tr><th scope="row">over 26 s</th><td class="count">2</td></tr>`,
	} {
		assert.Contains(t, got, row)
	}
	p := newLagPicture(r.Timers[0].Lags)
	require.Len(t, p.Bars, 20)
	assert.Equal(t, 84-top, p.Bars[0].Height)
	assert.Equal(t, (84-top)/2, p.Bars[1].Height)
	assert.Equal(t, shortest, p.Bars[4].Height)
	assert.InDelta(t, 100, p.Bars[19].X+p.Bars[19].Width, 0.01)
	for i, b := range p.Bars {
		assert.InDelta(t, 5, b.Width, 0.01, i)
	}
	for i, l := range p.Labels[1:] {
		assert.Greater(t, l.X-p.Labels[i].X, 8.5, "%s is too close for a phone", l.Text)
	}
}

func TestUnusedTimerHasNoLateness(t *testing.T) {
	var b strings.Builder
	r := report{Timers: []timerReport{{Tick: time.Second, Due: dueRows(time.Second), Lags: newLags([20]uint64{})}}}
	require.NoError(t, newPage().write(&b, r, r))
	assert.NotContains(t, b.String(), "How late")
}
