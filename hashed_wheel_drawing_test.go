package hashedwheel

import (
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"testing"

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
