// Package spread picks some of many things that are visited once, one after another.
package spread

import "math/rand/v2"

// A Picker cuts the visits into equal pieces, one for each thing that is wanted, and picks one visit of each
// piece at random. A fixed stride might meet only one of several kinds that alternate; independent picks
// might all fall into one part.
type Picker struct {
	all, pieces int64
	met, piece  int64 // visits so far, and pieces whose pick was chosen
	pick        int64 // index of the next visit to pick
}

// New returns a Picker of want things out of all, both at least 1.
func New(want, all int) Picker {
	p := Picker{all: int64(all), pieces: int64(min(want, all))}
	p.choose()
	return p
}

// Visit reports whether the thing that is visited now is picked.
func (p *Picker) Visit() bool {
	p.met++
	if p.met <= p.pick {
		return false
	}
	p.choose()
	return true
}

func (p *Picker) choose() {
	from, to := p.piece*p.all/p.pieces, (p.piece+1)*p.all/p.pieces
	p.pick = from + rand.Int64N(to-from)
	p.piece++
}
