package inspect

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWaitsAreTheQuantilesOfTheDifference(t *testing.T) {
	histogram := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{
			Counts:  counts,
			Buckets: []float64{0, 50e-9, 100e-9, 200e-9, 400e-9, 1e-3, math.Inf(1)},
		}
	}
	before := histogram(0, 1000, 0, 7, 0, 500)
	for _, tt := range []struct {
		now      *metrics.Float64Histogram
		p50, p99 time.Duration
	}{
		{histogram(0, 1000, 0, 7, 0, 500), 0, 0},
		{histogram(9, 1000, 0, 7, 0, 500), 50, 50},
		{histogram(0, 999, 0, 6, 0, 499), 0, 0},
		{histogram(0, 1001, 0, 7, 0, 500), 100, 100},
		{histogram(0, 1099, 0, 7, 1, 500), 100, 100},
		{histogram(0, 1098, 0, 7, 2, 500), 100, time.Millisecond},
		{histogram(0, 1050, 50, 7, 0, 500), 100, 200},
		{histogram(0, 1049, 51, 7, 0, 500), 200, 200},
		{histogram(0, 1000, 0, 7, 0, 501), forever, forever},
	} {
		assert.Equal(t, waits{tt.p50, tt.p99}, newWaits(tt.now, before))
	}
}

func TestReadyGoroutinesAreShownWithTheProcessors(t *testing.T) {
	assert.Equal(t, "1,234 for 1 processor", scheduler{processors: 1, ready: 1234}.readiness())
	assert.Equal(t, "1,234 for 2 processors", scheduler{processors: 2, ready: 1234}.readiness())
}
