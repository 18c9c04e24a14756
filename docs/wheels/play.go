package wheels

// A Play is what became of the example of docs/timing-wheels.md in one design.
type Play struct {
	Frames []Frame
	Visits int      // how often the design looked at a timeout that it held
	Wakes  int      // how often it had to be woken
	Fired  []Firing // in the order in which they fired
}

// A Frame is the design's state at some tick.
type Frame struct {
	Title string
	Rows  []Row
}

// A Firing is the tick at which a timeout was due, and at which it fired.
type Firing struct{ Due, At int64 }

// The example: six timeouts are armed at tick 2. At tick 20 the one due at 500 is
// stopped, and the one due at 70 is moved to 600. All of it is over by tick 1100.
const (
	ArmedAt    = 2
	ChangedAt  = 20
	DrawnAt    = 600
	Stopped    = 500
	Moved      = 70
	MovedTo    = 600
	playEndsAt = 1100
	TitleArmed = "tick 2: six timeouts are armed"
	TitleMoved = "tick 20: 5 and 12 have fired, 500 is stopped, 70 is moved to 600"
	TitleLate  = "tick 600"
)

// Due are the ticks of the example, in the order in which they are armed.
var Due = []int64{500, 12, 1000, 5, 516, 70}

// Designs are all that can play the example, with small wheels.
func Designs() map[string]func() Play {
	designs := map[string]func() structure{
		"list":          func() structure { return newUnordered() },
		"ordered-list":  func() structure { return newOrdered() },
		"heap":          func() structure { return new(binaryHeap) },
		"one-turn":      func() structure { return newOneTurn(10) },
		"rounds":        func() structure { return newRounds(3) },
		"sorted-rounds": func() structure { return newSortedRounds(3) },
		"hierarchy":     func() structure { return newHierarchy(3, 3) },
		"lazy-levels":   func() structure { return newLazyLevels(3) },
		"without-moves": func() structure { return newWithoutMoves() },
	}
	plays := map[string]func() Play{}
	for name, design := range designs {
		plays[name] = func() Play { return (&player{structure: design()}).play() }
	}
	return plays
}

type player struct {
	structure
	Play
	current int64
}

func (p *player) play() Play {
	p.until(ArmedAt)
	p.Wakes = 0 // before there was anything
	all := map[int64]*Timeout{}
	for _, tick := range Due {
		all[tick] = &Timeout{tick: tick}
		p.place(all[tick])
	}
	p.draw(TitleArmed)
	p.until(ChangedAt)
	p.remove(all[Stopped])
	p.remove(all[Moved])
	all[Moved].tick = MovedTo
	p.place(all[Moved])
	p.draw(TitleMoved)
	p.until(DrawnAt)
	p.draw(TitleLate)
	p.until(playEndsAt)
	p.Visits = p.visited()
	return p.Play
}

// until lets time pass, up to a tick. Nobody wakes once there is nothing left.
func (p *player) until(last int64) {
	for p.current < last {
		now := min(last, p.next(p.current))
		if now == p.next(p.current) && len(p.Fired) < len(Due)-1 {
			p.Wakes++
		}
		p.expire(p.current, now, func(to *Timeout) {
			p.Fired = append(p.Fired, Firing{Due: to.tick, At: now})
		})
		p.current = now
	}
}

func (p *player) draw(title string) {
	p.Frames = append(p.Frames, Frame{Title: title, Rows: p.rows(p.current)})
}
