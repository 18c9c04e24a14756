package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const standingNote = "Elapsed time by operations on all CPUs, unless a row says otherwise. A ratio is the median of the ratios within each round, and " +
	"its figures are those of that round. Better and worse are differences from std larger than that of two identical configurations " +
	"in any round of this run (even: ±%; too noisy if that is more than half). A row is bold where we lose by that much, to std or to the best other: the best of " +
	"all peers that did the work of the case. Peers that fired early, lost timeouts or did not end are in the tables below. " +
	"Latency under load is compared with peers that bear as much load as std, and Netty only at the tick of the case."

// Standing formats the summary: ours next to std and to the best of the others.
func (r *Report) Standing() string {
	return r.standings("| | std | hashedwheel | to std | | to the best other |\n|---|---:|---:|---:|---|---:|\n", headlines)
}

// Netty formats the same next to Netty, if Netty was measured.
func (r *Report) Netty() string {
	return r.standings("| | Netty | hashedwheel | to Netty | |\n|---|---:|---:|---:|---|\n", againstNetty())
}

// Deadlines formats the same of servers next to SetReadDeadline, if they were measured.
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

// against returns the peer to which a headline compares ours.
func (h headline) against() string {
	if h.rival != "" {
		return h.rival
	}
	return base
}

// standing returns the line of a headline, if it was measured.
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

// within adds the band to the verdict even.
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

// outcome is a figure of a peer, or how the peer failed.
func outcome(rows []Row, peer, figure string) cell {
	c := summarize(rows, peer, figure)
	if failed := summarize(rows, peer, Whole); failed.mark != "" {
		c.mark = failed.mark
	}
	return c
}

func (c cell) isMissing() bool { return math.IsNaN(c.value) && c.mark == "" }

// caseOf returns the rows and the name of a headline's case.
func (r *Report) caseOf(h headline) (rows []Row, name string) {
	rows = where(r.Rows, func(row Row) bool { return row.Load == h.load })
	cases := distinct(rows, func(row Row) string { return row.Case })
	if len(cases) == 0 {
		return nil, ""
	}
	name = cases[(h.nth+len(cases))%len(cases)]
	if h.part != "" {
		i := slices.IndexFunc(cases, func(name string) bool { return strings.HasPrefix(name, h.part) })
		if i < 0 {
			return nil, ""
		}
		name = cases[i]
	}
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

// isRival excludes our own variants, and Netty at another tick.
func isRival(peer string, h headline) bool {
	if tick, isNetty := strings.CutPrefix(peer, "netty-"); isNetty {
		return tick == tickOf(h)
	}
	return !strings.HasSuffix(peer, peers.Again) && !strings.HasPrefix(peer, ours)
}

// tickOf returns the tick of a headline's case.
func tickOf(h headline) string {
	l, _ := loads.Find(h.load)
	cases := l.Cases(loads.Config{Scale: 1})
	return cases[(h.nth+len(cases))%len(cases)].Tick.String()
}

// bearsTheLoad reports whether a peer is at least as fast as package time.
func bearsTheLoad(rows []Row, peer, figure string) bool {
	mine := of(rows, peer, figure)
	return len(mine) == 0 || judge(ratio(rows, peer, base, figure), leastBand, mine[0].Unit) != worse
}

// isMarked reports whether a peer failed or was early in any round of a case.
func isMarked(rows []Row, peer string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Peer == peer && r.Mark != "" })
}

// amount formats a value with its unit.
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
		return numbers.Number(c.value) + "%"
	case unit == loads.Micros && c.value >= 1000:
		return amount(cell{value: c.value / 1000}, loads.Millis)
	case unit == loads.Millis && c.value >= 1000:
		return amount(cell{value: c.value / 1000}, loads.Seconds)
	}
	return strings.TrimSuffix(numbers.Number(c.value)+" "+unit, " ")
}

// times formats a ratio.
func times(ratio float64) string {
	switch {
	case math.IsNaN(ratio):
		return "–"
	case ratio < 0.001:
		return "<0.001"
	}
	return numbers.Number(ratio)
}
