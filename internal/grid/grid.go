// Package grid computes the times of a series that does not drift.
package grid

import (
	"math"
	"time"
)

// A Grid is a point in time, and all points whole periods away from it.
type Grid struct {
	Point  time.Time
	Period time.Duration
}

// Through returns the grid through a point. The Grid's Point is at most a period before now: a time.Duration could not
// hold the time from a point in the far past. Point has a monotonic reading if now has one.
func Through(point time.Time, period time.Duration, now time.Time) Grid {
	past := max(now.Sub(point), -math.MaxInt64) // a point in the far future has past < 0
	if point.Before(now.Add(-past)) {           // longer ago than a Duration holds
		offset := point.Sub(point.Truncate(period))
		past = now.Sub(now.Truncate(period).Add(offset - period))
	}
	if past > 0 {
		past %= period
	}
	return Grid{now.Add(-past), period}
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
