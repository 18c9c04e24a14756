//go:build !unix

package loads

import (
	"math"
	"time"
)

func cpuTime() time.Duration { return 0 }

func cpuFigure(name, unit string, _ float64) Figure {
	return Figure{Name: name, Unit: unit, Value: math.NaN(), Mark: "skipped: needs getrusage"}
}
