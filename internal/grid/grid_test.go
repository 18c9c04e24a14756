package grid

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGridAfterIsTheFirstPointLaterThanATime(t *testing.T) {
	point := time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)
	g := Grid{Point: point, Period: time.Minute}
	for _, c := range []struct{ at, want time.Duration }{
		{0, time.Minute}, // strictly later
		{1, time.Minute},
		{time.Minute - 1, time.Minute},
		{time.Minute, 2 * time.Minute},
		{-1, 0},
		{-time.Minute, 0},
		{-time.Minute - 1, -time.Minute},
		{90 * time.Minute, 91 * time.Minute},
	} {
		assert.Equal(t, point.Add(c.want), g.After(point.Add(c.at)), "after %v", c.at)
	}
}

func TestGridThroughAPointFirst(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ point, after, want time.Duration }{
		{time.Hour, 0, time.Hour}, // not before the point
		{0, 0, time.Minute},
		{0, -1, 0},
		{-10 * time.Second, 0, 50 * time.Second},
		{-10 * time.Second, -10*time.Second - 1, -10 * time.Second},
	} {
		g := Through(now.Add(c.point), time.Minute, now)
		assert.Equal(t, now.Add(c.want), g.First(now.Add(c.after)), "%v, after %v", c.point, c.after)
	}
}

// A time.Duration holds 292 years: the time from such a point to now, or to a few years from now, may be longer.
func TestGridThroughAPointThatIsCenturiesPastKeepsItsPeriod(t *testing.T) {
	const year = 365 * 24 * time.Hour
	now := time.Date(2026, 1, 1, 0, 0, 10, 500, time.UTC)
	for _, point := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 10, 0, time.UTC),
		time.Date(1600, 1, 1, 0, 0, 10, 0, time.UTC),
		time.Date(1735, 1, 1, 0, 0, 10, 0, time.UTC), // 291 years
		time.Date(1742, 1, 1, 0, 0, 10, 0, time.UTC), // 284 years
	} {
		g := Through(point, time.Minute, now)
		assert.Equal(t, now.Add(time.Minute-500), g.First(now), "%v", point)
		assert.Equal(t, now.Add(-500), g.First(now.Add(-time.Second)), "%v, the last point", point)
		assert.Equal(t, now.Add(9*year+time.Minute-500), g.After(now.Add(9*year)), "%v, nine years later", point)
	}
}

// Without a monotonic reading a series would follow a wall clock that is set.
func TestGridPointHasAMonotonicReadingIfNowHasOne(t *testing.T) {
	now := time.Now()
	for _, point := range []time.Time{now.Round(0).Add(time.Hour), now.Round(0), now.Round(0).Add(-time.Hour), {}} {
		g := Through(point, time.Minute, now)
		assert.NotEqual(t, g.Point, g.Point.Round(0), "%v", point)
	}
}
