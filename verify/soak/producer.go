package main

import (
	"math/rand/v2"
	"time"
)

// producer is a client of the timer: it arms deadlines for calls and stops
// nearly all of them within milliseconds, and it moves the idle timeouts of many
// connections.
type producer struct {
	*life
	*rand.Rand
	calls []*account // under way, in no order
}

const (
	callsUnderWay = 1024
	burst         = 256 // calls on the timer between two rests
	rest          = 500 * time.Microsecond
)

func (l *life) newProducer() *producer {
	return &producer{life: l, Rand: rand.New(rand.NewPCG(l.seed, l.roll())), calls: make([]*account, callsUnderWay)}
}

// work goes on until the life's crew has to quit.
func (p *producer) work() {
	for !p.quit.Load() {
		p.gate.RLock()
		for range burst {
			p.step()
		}
		p.gate.RUnlock()
		time.Sleep(rest)
	}
	if p.closing.Load() {
		for _, a := range p.calls {
			if a != nil {
				a.stop()
			}
		}
	}
}

func (p *producer) step() {
	dice := p.Uint64()
	a := p.someAccount(p.Uint64())
	switch n := dice >> 32 % 100; {
	case n < 40:
		p.call(dice)
	case n < 45:
		p.hear(dice)
	case n < 65:
		a.reset(p.far(dice))
	case n < 85:
		a.resetAt(p.far(dice | 1))
	case n < 90:
		a.reset(p.soon(dice))
	case n < 94:
		a.resetAt(p.soon(dice))
	default:
		a.stop()
	}
}

// call arms the deadline of a new call, and ends another one. Of a hundred three
// are not ended, and expire.
func (p *producer) call(dice uint64) {
	arm := p.schedule
	if dice&1 == 0 {
		arm = p.afterFunc
	}
	if dice%100 < 3 {
		arm(p.soon(dice))
		return
	}
	i := int(dice % callsUnderWay)
	if ended := p.calls[i]; ended != nil {
		ended.stop()
	}
	p.calls[i] = arm(p.far(dice))
}

// hear moves the deadline of a call under way.
func (p *producer) hear(dice uint64) {
	a := p.calls[dice%callsUnderWay]
	switch {
	case a == nil:
	case dice&(1<<20) == 0:
		a.reset(p.far(dice))
	default:
		a.reset(p.soon(dice))
	}
}
