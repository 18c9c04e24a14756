package main

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// contested is a Timeout on which several goroutines call Reset and Stop at the same time. The
// order of the Resets is unknown, so the armings are only counted: there must be as many outcomes.
// Nor does a Reset show how many were rejected; the timer's Stats has to agree.
type contested struct {
	life *life
	to   hashedwheel.Timeout
}

const (
	contestedTimeouts = 16 // few enough that the calls meet
	rivals            = 3
)

func (l *life) beginContest() {
	l.contested = make([]contested, contestedTimeouts)
	for i := range l.contested {
		c := &l.contested[i]
		c.life = l
		c.to.Init(l.tm, c)
	}
	for range rivals {
		r := rand.New(rand.NewPCG(l.seed, l.roll()))
		l.crew.Go(func() { l.contest(r) })
	}
}

func (l *life) contest(r *rand.Rand) {
	for !l.quit.Load() {
		for range burst / 16 {
			c := &l.contested[r.IntN(contestedTimeouts)]
			if dice := r.Uint64(); dice>>32%3 == 0 {
				c.stop()
			} else {
				c.reset(l.soon(dice))
			}
		}
		time.Sleep(rest)
	}
}

func (c *contested) reset(d time.Duration) {
	c.life.books.arm(fromContested)
	if c.to.Reset(d) {
		c.life.books.settle(fromContested, superseded)
	}
}

func (c *contested) stop() {
	if c.to.Stop() {
		c.life.books.settle(fromContested, canceled)
	}
}

// Run books a run, or what Timer.Stop returned.
func (c *contested) Run(*hashedwheel.Timeout) {
	if c.life.reckoning.Load() {
		c.life.books.settle(fromContested, returned)
		return
	}
	c.life.books.settle(fromContested, expired)
}
