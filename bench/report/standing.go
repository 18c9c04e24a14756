package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const standingNote = "On all CPUs, elapsed time by operations, where nothing else is said. A ratio is the median of those within each round, and " +
	"the figures beside it are those of that round. Better and worse are what differs from std by more than two identical configurations " +
	"did in any round of this run (even: ±%); a row is bold where we lose by that much, to std or to the best other. That is the best of " +
	"all peers that did in that case what it was asked to: those that fired early, lost timeouts or did not end are in the tables below. " +
	"Latency under load is that of peers that bear as much load as std. Not among the best are std-after, which is no more than an " +
	"allocation while nobody waits, and Netty at other ticks than the case's."

// Standing writes the table that sums the report up: ours beside std and beside
// the best of the others.
func (r *Report) Standing() string {
	return r.standings("| | std | hashedwheel | to std | | to the best other |\n|---|---:|---:|---:|---|---:|\n", headlines)
}

// Netty writes the same of Netty alone, or nothing if it was not there.
func (r *Report) Netty() string {
	return r.standings("| | Netty | hashedwheel | to Netty | |\n|---|---:|---:|---:|---|\n", againstNetty())
}

// Deadlines writes the same of whole servers beside SetReadDeadline, or nothing.
func (r *Report) Deadlines() string {
	return r.standings("| | SetReadDeadline | hashedwheel | to SetReadDeadline | |\n|---|---:|---:|---:|---|\n", againstDeadlines())
}

func (r *Report) standings(heading string, of []headline) string {
	var lines strings.Builder
	for _, h := range of {
		lines.WriteString(r.standing(h))
	}
	if lines.Len() == 0 {
		return ""
	}
	return heading + lines.String()
}

// against returns what a headline compares ours with.
func (h headline) against() string {
	if h.rival != "" {
		return h.rival
	}
	return base
}

// standing is the line of a headline, or nothing if it was not measured.
func (r *Report) standing(h headline) string {
	rows, name := r.caseOf(h)
	f, ok := figureOf(rows, h)
	mine, theirs := outcome(rows, h.ours, f.figure), outcome(rows, h.against(), f.figure)
	if !ok || mine.isMissing() || theirs.isMissing() {
		return ""
	}
	beside := middle(rows, h.ours, h.against(), f.figure)
	if mine.mark == "" && theirs.mark == "" && !math.IsNaN(beside.ratio) {
		mine.value, theirs.value = beside.value, beside.other
	}
	within := band(rows, f.figure)
	said := judge(beside.ratio, within, f.unit)
	lost := said == worse || math.IsNaN(mine.value)
	best := ""
	if h.rival == "" {
		peer := r.best(h, rows, f)
		by := ratio(rows, h.ours, peer, f.figure)
		lost = lost || judge(by, within, f.unit) == worse
		best = strings.TrimSpace(peer+" "+times(by)) + " |"
	}
	text := strings.ReplaceAll(h.text, "%s", name)
	if lost {
		text = "**" + text + "**"
	}
	return strings.TrimRight(fmt.Sprintf("| %s | %s | %s | %s | %s | %s", text, amount(theirs, f.unit), amount(mine, f.unit),
		times(beside.ratio), said.within(within), best), " ") + "\n"
}

// within adds the band to what it decides.
func (v verdict) within(band float64) string {
	if v == even {
		return fmt.Sprintf("even: ±%.0f%%", 100*(band-1))
	}
	return string(v)
}

// figureOf returns the last figure that a headline matches.
func figureOf(rows []Row, h headline) (heading, bool) {
	figures := distinct(rows, func(row Row) heading { return heading{row.Figure, row.Unit} })
	slices.Reverse(figures)
	i := slices.IndexFunc(figures, func(f heading) bool { return h.is(f.figure) })
	if i < 0 {
		return heading{}, false
	}
	return figures[i], true
}

// outcome is a figure of a peer, or what became of it instead.
func outcome(rows []Row, peer, figure string) cell {
	c := summarize(rows, peer, figure)
	if failed := summarize(rows, peer, Whole); failed.mark != "" {
		c.mark = failed.mark
	}
	return c
}

func (c cell) isMissing() bool { return math.IsNaN(c.value) && c.mark == "" }

// caseOf returns the rows of a headline's case, and its name.
func (r *Report) caseOf(h headline) (rows []Row, name string) {
	rows = where(r.Rows, func(row Row) bool { return row.Load == h.load })
	cases := distinct(rows, func(row Row) string { return row.Case })
	if len(cases) == 0 {
		return nil, ""
	}
	name = cases[(h.nth+len(cases))%len(cases)]
	return where(rows, func(row Row) bool { return row.Case == name }), name
}

// best returns the peer, not one of ours, with the best figure and no mark, or "".
func (r *Report) best(h headline, rows []Row, f heading) (peer string) {
	best := math.NaN()
	for _, p := range r.Peers {
		c := summarize(rows, p.Name, f.figure)
		if !isRival(p.Name, h) || isMarked(rows, p.Name) || math.IsNaN(c.value) || !bearsTheLoad(rows, p.Name, h.while) {
			continue
		}
		if math.IsNaN(best) || judge(best/c.value, 1, f.unit) == worse {
			best, peer = c.value, p.Name
		}
	}
	return peer
}

// isRival leaves out what standingNote says, and our own.
func isRival(peer string, h headline) bool {
	if tick, isNetty := strings.CutPrefix(peer, "netty-"); isNetty {
		return tick == tickOf(h)
	}
	return peer != "std-after" && !strings.HasSuffix(peer, peers.Again) && !strings.HasPrefix(peer, ours)
}

// tickOf returns the tick that a headline's case asks for.
func tickOf(h headline) string {
	l, _ := loads.Find(h.load)
	cases := l.Cases(loads.Full())
	return cases[(h.nth+len(cases))%len(cases)].Tick.String()
}

// bearsTheLoad reports whether a peer is at least as fast as the standard library.
func bearsTheLoad(rows []Row, peer, figure string) bool {
	mine := of(rows, peer, figure)
	return len(mine) == 0 || judge(ratio(rows, peer, base, figure), leastBand, mine[0].Unit) != worse
}

// isMarked reports whether a peer did something wrong in any round of a case.
func isMarked(rows []Row, peer string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Peer == peer && r.Mark != "" })
}

// amount writes a value with its unit.
func amount(c cell, unit string) string {
	if math.IsNaN(c.value) && c.mark != "" {
		return "**" + c.mark + "**"
	}
	if math.IsNaN(c.value) {
		return "–"
	}
	switch {
	case unit == loads.PerOp || unit == loads.Each:
		unit = "ns"
	case unit == loads.PerSecond:
		unit = "/s"
	case unit == loads.OfCore:
		return Number(c.value) + "%"
	case unit == loads.Micros && c.value >= 1000:
		return amount(cell{value: c.value / 1000}, loads.Millis)
	}
	return strings.TrimSuffix(Number(c.value)+" "+unit, " ")
}

// times writes a ratio.
func times(ratio float64) string {
	switch {
	case math.IsNaN(ratio):
		return "–"
	case ratio < 0.001:
		return "<0.001"
	}
	return Number(ratio)
}
