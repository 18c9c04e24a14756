package hashedwheel

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The wheel makes the drawings in hashed_wheel.go and docs/how-it-works.md. If a test here fails, replace
// the drawing by the test's output.

func TestDrawingInTheSourceMatchesTheWheel(t *testing.T) {
	d := newDriver(8).from(3)
	d.arm(1000)
	d.addRing()
	assertHolds(t, "hashed_wheel.go", commented(levelsOf(d, 1000)))
}

func TestJourneysInTheDocsMatchTheWheel(t *testing.T) {
	assertHolds(t, "docs/how-it-works.md", placesOf(5, 12, 70, 500, 516, 1000))
	assertHolds(t, "docs/how-it-works.md", journeyOf(newDriver(8).from(3), 1000))
}

func TestRingReachInTheDocsMatchesTheWheel(t *testing.T) {
	assertHolds(t, "docs/how-it-works.md", "| 10 ms × 512, the default |"+reachOf(10*time.Millisecond))
}

func assertHolds(t *testing.T, file, drawing string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), drawing), "%s does not hold\n%s", file, drawing)
}

func commented(drawing string) string {
	lines := strings.Split(strings.TrimSuffix(drawing, "\n"), "\n")
	return "//\t" + strings.Join(lines, "\n//\t") + "\n"
}

// levelsOf draws how the wheel chooses the level for a tick.
func levelsOf(d *driver, tick int64) string {
	var out strings.Builder
	found := false
	for k, l := range d.levels {
		line := fmt.Sprintf("level %d   ring, %4d ticks a slot", k, int64(1)<<l.shift)
		if k == 0 {
			line = "level 0   buckets, one tick each"
		}
		if !found {
			verdict := "too far"
			if found = l.reaches(tick, d.current); found {
				verdict = "here"
			}
			line = fmt.Sprintf("%-38s%s of %d: %s", line, difference(l, tick, d.current), l.size, verdict)
		}
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

// difference writes how many slots of a level lie between two ticks, as a subtraction.
func difference(l *level, tick, current int64) string {
	ticks := ""
	if l.shift > 0 {
		ticks = fmt.Sprintf("/%d", int64(1)<<l.shift)
	}
	both := fmt.Sprintf("%d%s - %d%s", tick, ticks, current, ticks)
	return fmt.Sprintf("%-19s = %d", both, tick>>l.shift-current>>l.shift)
}

// placesOf draws where a wheel of 8 buckets files timeouts at first.
func placesOf(ticks ...int64) string {
	var out strings.Builder
	d := newDriver(8).from(3)
	for _, tick := range ticks {
		fmt.Fprintf(&out, " due at %4d   %s\n", tick, d.whereIs(d.arm(tick)[0]))
	}
	return out.String()
}

func (d *driver) whereIs(to *Timeout) string {
	k, tick := to.home.level(), to.load().deadline()
	l := d.levels[k]
	return fmt.Sprintf("level %d, slot %3d    %s", k, l.index(tick>>l.shift), difference(l, tick, d.current))
}

// journeyOf draws each place where one timeout is filed until it is due.
func journeyOf(d *driver, tick int64) string {
	var out strings.Builder
	to := d.arm(tick)[0]
	for last := -1; to.home.level() > 0; {
		if to.home.level() != last {
			fmt.Fprintf(&out, " current = %7d   %s\n", d.current, d.whereIs(to))
			last = to.home.level()
		}
		d.advance(d.slotAt(), 1)
	}
	fmt.Fprintf(&out, " current = %7d   level 0, slot %3d    taken at tick %d\n",
		d.current, d.levels[0].index(tick), tick)
	return out.String()
}

// reachOf returns table cells with the reach of each level of a wheel with 512 buckets.
func reachOf(tick time.Duration) string {
	d := newDriver(512)
	d.arm(int64(20*365*24*time.Hour) / int64(tick))
	var cells strings.Builder
	for k := range 5 {
		l := d.levels[k]
		fmt.Fprintf(&cells, " %s |", span(time.Duration(int64(l.size)<<l.shift)*tick))
	}
	return cells.String()
}

func span(d time.Duration) string {
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "days"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d >= 2*unit.d {
			return fmt.Sprintf("%.3g %s", d.Seconds()/unit.d.Seconds(), unit.name)
		}
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
