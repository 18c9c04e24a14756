package hashedwheel

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the drawings are made from")

// play is the example of docs/timing-wheels.md, as bench/classic has it for the
// other designs: bench/cmd/wheels reads it and draws it.
type play struct {
	*driver
	Frames []frame
	Visits int // how often the wheel looked at a timeout that it held
	Wakes  int
	Fired  []firing
}

type frame struct {
	Title string
	Rows  []row
}

type row struct {
	Name  string
	Size  int
	Hand  int         // the slot of the last tick that was taken
	Slots []drawnSlot // those that hold any
}

type drawnSlot struct {
	Index    int
	Timeouts []string
}

type firing struct{ Due, At int64 }

// TestWheelIsDrawnAsItIs holds what the drawing is made from to the wheel: go
// test -run TestWheelIsDrawnAsItIs -update writes it anew, then bench/cmd/wheels
// draws it.
func TestWheelIsDrawnAsItIs(t *testing.T) {
	const golden = "docs/wheels/hashedwheel.json"
	p := play{driver: newDriver(8).from(3)}
	to := map[int64]*Timeout{}
	for _, tick := range []int64{500, 12, 1000, 5, 516, 70} {
		to[tick] = p.arm(tick)[0]
	}
	p.draw("tick 2: six timeouts are armed")
	p.until(20)
	p.Visits++
	p.remove(to[500])                // the worker does, once Stop has handed it over
	setWord(to[70], 600, 0, Pending) // moved later: its word changes, and nothing else
	p.draw("tick 20: 5 and 12 have fired, 500 is stopped, 70 is moved to 600")
	p.until(600)
	p.draw("tick 600")
	p.until(1100)
	got, err := json.MarshalIndent(p, "", " ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}

// until does the worker's part: it wakes when something may be due, and takes what
// is, up to a tick.
func (p *play) until(last int64) {
	for at := p.next(); at <= last; at = p.next() {
		p.Wakes++
		_, filed := p.advance(at, portion)
		p.Visits += filed
		for to := p.pop(at); to != nil; to = p.pop(at) {
			p.Visits++
			if tick := to.load().deadline(); tick > at {
				p.place(to, tick)
			} else {
				p.Fired = append(p.Fired, firing{tick, at})
			}
		}
	}
	p.advance(last, portion)
}

func (p *play) draw(title string) {
	f := frame{Title: title}
	for _, l := range p.levels {
		r := row{Name: "1 tick a slot", Size: len(l.slots), Hand: l.index((p.current - 1) >> l.shift)}
		if l.shift > 0 {
			r.Name = strconv.Itoa(1<<l.shift) + " ticks a slot"
		}
		for i := range l.slots {
			s := drawnSlot{Index: i}
			for to := l.slots[i].head; to != nil; to = to.next {
				s.Timeouts = append(s.Timeouts, drawn(to))
			}
			if s.Timeouts != nil {
				r.Slots = append(r.Slots, s)
			}
		}
		f.Rows = append(f.Rows, r)
	}
	p.Frames = append(p.Frames, f)
}

// drawn is the tick at which a timeout is due, and the one it is filed under if it
// was moved later.
func drawn(to *Timeout) string {
	due, filed := to.load().deadline(), to.home.tick()
	if due == filed {
		return strconv.FormatInt(due, 10)
	}
	return strconv.FormatInt(filed, 10) + "→" + strconv.FormatInt(due, 10)
}

// The drawings of hashed_wheel.go and docs/how-it-works.md are made by the wheel
// itself. If a test here fails, put what it has printed in their place.

func TestTheDrawingShowsTheWheel(t *testing.T) {
	d := newDriver(8).from(3)
	d.arm(1000)
	d.addRing()
	holds(t, "hashed_wheel.go", commented(levelsOf(d, 1000)))
}

func TestTheJourneyIsTheWheels(t *testing.T) {
	holds(t, "docs/how-it-works.md", placesOf(5, 12, 70, 500, 516, 1000))
	holds(t, "docs/how-it-works.md", journeyOf(newDriver(8).from(3), 1000))
	holds(t, "docs/how-it-works.md", journeyOf(newDriver(512), int64(time.Hour/time.Millisecond)))
}

func TestTheReachOfTheRingsIsTheWheels(t *testing.T) {
	holds(t, "docs/how-it-works.md", "| 100 ms × 512, the default |"+reachOf(100*time.Millisecond))
	holds(t, "docs/how-it-works.md", "| 1 ms × 512 |"+reachOf(time.Millisecond))
}

func holds(t *testing.T, file, drawing string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), drawing), "%s does not hold\n%s", file, drawing)
}

func commented(drawing string) string {
	lines := strings.Split(strings.TrimSuffix(drawing, "\n"), "\n")
	return "//\t" + strings.Join(lines, "\n//\t") + "\n"
}

// levelsOf draws how the wheel finds the level for a tick.
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
			line = fmt.Sprintf("%-38s%s of %d: %s", line, difference(l, tick, d.current), len(l.slots), verdict)
		}
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

// difference writes down how many slots of a level lie between two ticks.
func difference(l *level, tick, current int64) string {
	ticks := ""
	if l.shift > 0 {
		ticks = fmt.Sprintf("/%d", int64(1)<<l.shift)
	}
	both := fmt.Sprintf("%d%s - %d%s", tick, ticks, current, ticks)
	return fmt.Sprintf("%-19s = %d", both, tick>>l.shift-current>>l.shift)
}

// placesOf draws where timeouts are filed at first, with 8 buckets.
func placesOf(ticks ...int64) string {
	var out strings.Builder
	d := newDriver(8).from(3)
	for _, tick := range ticks {
		fmt.Fprintf(&out, " due at %4d   %s\n", tick, d.whereIs(d.arm(tick)[0]))
	}
	return out.String()
}

func (d *driver) whereIs(to *Timeout) string {
	k, tick := to.home.level(), to.home.tick()
	l := d.levels[k]
	return fmt.Sprintf("level %d, slot %3d    %s", k, l.index(tick>>l.shift), difference(l, tick, d.current))
}

// journeyOf draws all places where one timeout is filed until it is due.
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
	fmt.Fprintf(&out, " current = %7d   level 0, slot %3d    taken at tick %d\n", d.current, d.levels[0].index(tick), tick)
	return out.String()
}

// reachOf tells how far each level of a wheel with 512 buckets reaches.
func reachOf(tick time.Duration) string {
	d := newDriver(512)
	d.arm(int64(20*365*24*time.Hour) / int64(tick))
	var cells strings.Builder
	for k := range 5 {
		l := d.levels[k]
		fmt.Fprintf(&cells, " %s |", span(time.Duration(int64(len(l.slots))<<l.shift)*tick))
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
