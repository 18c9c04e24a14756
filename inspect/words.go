package inspect

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// count returns a number with its thousands set apart.
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// number is a count as the page shows it: an estimate is rounded.
func (r *timerReport) number(n int) string {
	if r.estimated() {
		n = rounded(n)
	}
	return count(uint64(n))
}

func (r *timerReport) about() string {
	if r.estimated() {
		return "about "
	}
	return ""
}

// rounded keeps two digits, which is what an estimate is worth.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// speed returns a rate, with digits behind the point only if there are few before it.
func speed(perSecond float64) string {
	if perSecond >= 9.95 || perSecond == 0 {
		return count(uint64(math.Round(perSecond))) + "/s"
	}
	if perSecond >= 0.095 {
		return fmt.Sprintf("%.1f/s", perSecond)
	}
	return "<0.1/s"
}

// units are those in which a person tells a time, the largest first.
var units = [...]struct {
	size time.Duration
	name string
}{
	{year, "y"}, {day, "d"}, {time.Hour, "h"}, {time.Minute, "min"},
	{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"},
}

// span returns how long a time is, in the unit that fits and with two digits at least.
func span(d time.Duration) string {
	for _, u := range units {
		if d < u.size {
			continue
		}
		n := float64(d) / float64(u.size)
		if n < 10 {
			n = math.Round(n*10) / 10
		} else {
			n = math.Round(n)
		}
		return strconv.FormatFloat(n, 'f', -1, 64) + " " + u.name
	}
	return "0"
}
