// Package grid computes the times of a series that does not drift.
package grid

import "time"

// A Grid is a point in time, and all points whole periods away from it.
type Grid struct {
	Point  time.Time
	Period time.Duration
}

// Through returns the grid through a point. The Grid's Point has a monotonic reading if now has one.
func Through(point time.Time, period time.Duration, now time.Time) Grid {
	g := Grid{now.Add(point.Sub(now)), period}
	if g.Point.After(point) { // the point is centuries past: more than Sub can return
		g.Point = now.Truncate(period).Add(point.Sub(point.Truncate(period)))
	}
	return g
}

// First returns the first point after a time, but none before Point.
func (g Grid) First(at time.Time) time.Time {
	if next := g.After(at); next.After(g.Point) {
		return next
	}
	return g.Point
}

// After returns the first point after a time.
func (g Grid) After(at time.Time) time.Time {
	past := at.Sub(g.Point) % g.Period
	if past < 0 {
		past += g.Period
	}
	return at.Add(g.Period - past)
}
