package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// count returns a number with commas between thousands.
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// number returns a count as the page shows it, rounded if it is an estimate.
func (r *timerReport) number(n uint64) string {
	if r.estimated() {
		n = rounded(n)
	}
	return count(n)
}

func (r *timerReport) about() string {
	if r.estimated() {
		return "about "
	}
	return ""
}

// rounded keeps two digits, since an estimate is no more precise.
func rounded(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// percent returns the share of n in all, rounded down, so that only a full timer has 100%.
func percent(n, all int) string {
	share := 100 * float64(n) / float64(all)
	if share < 10 {
		return strconv.FormatFloat(math.Floor(share*10)/10, 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(math.Floor(share), 'f', 0, 64) + "%"
}

// speed returns a rate, with a decimal place only for small rates.
func speed(perSecond float64) string {
	if perSecond >= 9.95 || perSecond == 0 {
		return count(uint64(math.Round(perSecond))) + "/s"
	}
	if perSecond >= 0.095 {
		return fmt.Sprintf("%.1f/s", perSecond)
	}
	return "<0.1/s"
}

// units are the units of time, the largest first.
var units = [...]struct {
	size time.Duration
	name string
}{
	{year, "y"}, {day, "d"}, {time.Hour, "h"}, {time.Minute, "min"},
	{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}, {time.Nanosecond, "ns"},
}

// span returns a duration in the largest unit that fits, with one decimal place if the number is below ten.
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

// maxName is the largest number of characters of a name that are shown.
const maxName = 200

// readable returns a name as it is shown: at most maxName characters, none of which control a terminal or the direction
// of text, and in quotes if all are spaces.
func readable(name string) string {
	length, last := 0, 0
	for i := range name {
		if length++; length == maxName {
			last = i
		}
		if length > maxName {
			name = name[:last] + "…"
			break
		}
	}
	if name != "" && strings.Trim(name, " ") == "" {
		return strconv.Quote(name)
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) {
			return unicode.ReplacementChar
		}
		return c // the replacement character if the name is not UTF-8
	}, name)
}
