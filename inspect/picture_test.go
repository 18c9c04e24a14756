package inspect_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

type bar struct {
	hint                string
	x, width, y, height float64
}

// bars returns the bars of the first picture.
func bars(page string) (all []bar) {
	page, _, _ = strings.Cut(page, "<details")
	number := func(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }
	const column = `<title>([^<]*)</title><rect class="hit" x="(.*?)%" width="(.*?)%"[^>]*/>`
	for _, m := range find(page, column+`(?:<rect class="bar" [^>]*y="(.*?)" height="(.*?)"/>)?`) {
		all = append(all, bar{m[1], number(m[2]), number(m[3]), number(m[4]), number(m[5])})
	}
	return all
}

func TestBarsFillTheAxis(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 100 * time.Millisecond, time.Minute, 5 * 365 * day} {
		tm, _ := newTimer(t, hashedwheel.WithTick(tick))
		tm.AfterFunc(time.Hour, func() {})
		all := bars(page(inspect.Handler(timers{"one": tm})))
		require.GreaterOrEqual(t, len(all), 2)
		end := 0.0
		for _, b := range all {
			assert.InDelta(t, end, b.x, 0.02, b.hint)
			assert.Greater(t, b.width, 0.5, b.hint)
			end = b.x + b.width
		}
		assert.InDelta(t, 100, end, 0.02)
	}
}

func TestAxisIsLogarithmic(t *testing.T) {
	tm, _ := newTimer(t)
	tm.AfterFunc(time.Hour, func() {})
	widths := make(map[string]float64)
	for _, b := range bars(page(inspect.Handler(timers{"one": tm}))) {
		widths[b.hint] = b.width
	}
	require.Contains(t, widths, "1 s to 2 s: 0")
	assert.InDelta(t, widths["1 s to 2 s: 0"], widths["1 h to 2 h: 0"], 0.02)
	assert.InDelta(t, widths["1 s to 2 s: 0"], widths["90 d to 180 d: 0"], 0.02)
}

func TestBarHeightFollowsTheCount(t *testing.T) {
	tm, _ := newTimer(t)
	arm := func(n int, d time.Duration) {
		for range n {
			tm.AfterFunc(d, func() {})
		}
	}
	arm(1000, 10*time.Second)
	arm(500, time.Hour)
	arm(1, 40*day)
	got := page(inspect.Handler(timers{"one": tm}))
	heights := make(map[string]float64)
	for _, b := range bars(got) {
		heights[b.hint] = b.height
		if b.height > 0 {
			assert.InDelta(t, 132, b.y+b.height, 0.11, "%s does not stand on the axis", b.hint)
		}
	}
	assert.Equal(t, 116.0, heights["5 s to 10 s: 1,000"])
	assert.Equal(t, 58.0, heights["20 min to 1 h: 500"])
	assert.Equal(t, 2.0, heights["30 d to 90 d: 1"], "what is there can be seen")
	assert.Equal(t, 0.0, heights["1 h to 2 h: 0"])
	assert.Contains(t, got, `y="16" dy="-4">1,000</text>`, "the line at a round count")
}

func TestLabelsDoNotOverlap(t *testing.T) {
	for tick, want := range map[time.Duration]string{
		100 * time.Microsecond: "100 µs", 10 * time.Millisecond: "10 ms", 700 * time.Millisecond: "700 ms",
		20 * time.Hour: "20 h", 5 * 365 * day: "5 y",
	} {
		tm, _ := newTimer(t, hashedwheel.WithTick(tick))
		tm.AfterFunc(time.Hour, func() {})
		got := page(inspect.Handler(timers{"one": tm}))
		all := find(got, `<g class="(minor)?">.*?<text x="(.*?)%" y="150">(.*?)</text>`)
		require.NotEmpty(t, all)
		assert.Equal(t, want, all[0][3])
		last, lastMajor := -100.0, -100.0
		for _, m := range all {
			x, err := strconv.ParseFloat(m[2], 64)
			require.NoError(t, err)
			assert.Greater(t, x-last, 4.5, "%s is too close, with a tick of %v", m[3], tick)
			last = x
			if m[1] == "" {
				assert.Greater(t, x-lastMajor, 8.5, "%s is too close for a phone, with a tick of %v", m[3], tick)
				lastMajor = x
			}
			assert.LessOrEqual(t, x, 100.0)
		}
	}
}

func TestAxisLabelsAreRoundTimes(t *testing.T) {
	const more = "(100 ms), 1 s, (10 s), 1 min, (10 min), 1 h, (6 h), 1 d, 30 d, 1 y"
	for tick, want := range map[time.Duration]string{
		100 * time.Microsecond: "100 µs, (1 ms), (10 ms), " + more,
		10 * time.Millisecond:  "10 ms, " + more,
		20 * time.Hour:         "20 h, 30 d, 1 y",
	} {
		tm, _ := newTimer(t, hashedwheel.WithTick(tick))
		tm.AfterFunc(time.Hour, func() {})
		var got []string
		page := page(inspect.Handler(timers{"one": tm}))
		for _, m := range find(page, `<g class="(minor)?">.*?<text [^>]*>(.*?)</text>`) {
			if m[1] != "" {
				m[2] = "(" + m[2] + ")"
			}
			got = append(got, m[2])
		}
		assert.Equal(t, want, strings.Join(got, ", "), tick)
	}
}
