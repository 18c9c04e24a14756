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

func TestGridThroughAPointThatIsCenturiesPast(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)
	for _, point := range []time.Time{time.Date(1, 1, 1, 0, 0, 10, 0, time.UTC), time.Date(1600, 1, 1, 0, 0, 10, 0, time.UTC)} {
		g := Through(point, time.Minute, now)
		assert.Equal(t, now.Add(40*time.Second), g.First(now))
	}
}
