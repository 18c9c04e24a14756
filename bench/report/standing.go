package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

// A headline is a line of the table that sums the report up: one figure of one
// case, for one of our variants.
type headline struct {
	text  string // %s is the case
	load  string
	nth   int // case of the load; -1 is the last
	ours  string
	is    func(figure string) bool // the last that it matches
	rival string                   // to be compared with; "" is the best of all others
	while string                   // the figure in which the best must not be worse than the standard library
}

// named matches a figure by its name, allCPUs those of so many goroutines: the
// last of them is that of most.
func named(name string) func(string) bool { return func(figure string) bool { return figure == name } }

func allCPUs(figure string) bool { return strings.Contains(figure, "goroutine") }

// headlines are what the three kinds of users of a timer ask first, then what it
// costs and how exact it is.
var headlines = []headline{
	{text: "arm a new timeout and stop it, %s", load: "arm", ours: ours, is: allCPUs},
	{text: "… %s", load: "arm", nth: -1, ours: ours, is: allCPUs},
	{text: "re-arm an owned timeout and stop it", load: "rearm", ours: ours, is: allCPUs},
	{text: "… with `ResetAt`, the clock already read", load: "rearm", ours: ours + "-resetat", is: allCPUs},
	{text: "move %s", load: "move", ours: ours, is: allCPUs},
	{text: "… with `ResetAt`", load: "move", ours: ours + "-resetat", is: allCPUs},
	{text: "move %s, CPU", load: "move", nth: -1, ours: ours, is: named("CPU")},
	{text: "%s, CPU", load: "fire", nth: -1, ours: ours, is: named("CPU")},
	{text: "… with `Inline`", load: "fire", nth: -1, ours: ours + "-inline", is: named("CPU")},
	{text: "rate of calls with a deadline each", load: "rpc", ours: ours, is: named("calls")},
	{text: "… peak heap", load: "rpc", ours: ours, is: named("peak heap"), while: "calls"},
	{text: "… slowest arming in a thousand", load: "rpc", ours: ours, is: named("arming p99.9"), while: "calls"},
	{text: "rate of calls that reuse their timeouts", load: "reuse", ours: ours, is: named("calls")},
	{text: "… peak heap", load: "reuse", ours: ours, is: named("peak heap"), while: "calls"},
	{text: "slowest arming in a thousand, %s", load: "due", ours: ours, is: named("arming p99.9")},
	{text: "… slowest of all", load: "due", ours: ours, is: named("arming max")},
	{text: "memory of a pending timeout, without its function", load: "memory", ours: ours, is: named("a timeout")},
	{text: "peak heap of arm and stop on all CPUs", load: "memory", nth: -1, ours: ours, is: named("peak heap"), while: "arm and stop"},
	{text: "lateness at a tick of 1 ms, p50", load: "late", ours: ours, is: named("p50")},
	{text: "… p99", load: "late", ours: ours, is: named("p99")},
	{text: "… beside busy producers, p50", load: "late", nth: -1, ours: ours, is: named("p50")},
	{text: "… beside busy producers, p99", load: "late", nth: -1, ours: ours, is: named("p99")},
}

// againstNetty are the loads that Netty has a part in, at the same tick for both.
func againstNetty() (all []headline) {
	for _, tick := range []string{"1ms", "10ms", "100ms"} {
		us, them := ours+"-"+tick, "netty-"+tick
		all = append(all,
			headline{text: "tick of " + tick + ": arm a new timeout and stop it, %s", load: "arm", ours: us, is: allCPUs, rival: them},
			headline{text: "… %s", load: "arm", nth: -1, ours: us, is: allCPUs, rival: them},
			headline{text: "… %s, CPU", load: "fire", nth: -1, ours: us, is: named("CPU"), rival: them},
			headline{text: "… rate of calls with a deadline each", load: "rpc", ours: us, is: named("calls"), rival: them},
			headline{text: "… peak heap", load: "rpc", ours: us, is: named("peak heap"), rival: them},
			headline{text: "… slowest arming in a thousand", load: "rpc", ours: us, is: named("arming p99.9"), rival: them},
		)
	}
	return all
}

const standingNote = "On all CPUs, elapsed time by operations, where nothing else is said. The best other is the best of all " +
	"peers, std included, that did in that case what it was asked to: those that fired early, lost timeouts or did not end are " +
	"in the tables below. Heap and latency under load are those of peers that bear as much load as std. Not among the best are " +
	"std-after, which is no more than an allocation while nobody waits, and Netty at other ticks than the case's. A ratio is the " +
	"median of those within each round, not that of the figures beside it. Rows in bold are those that we lose, by either."

// Standing writes the table that sums the report up: ours beside std and beside
// the best of the others.
func (r *Report) Standing() string { return r.standings("best other", "the best", headlines) }

// Netty writes the same of Netty alone, or nothing if it was not there.
func (r *Report) Netty() string { return r.standings("Netty", "Netty", againstNetty()) }

func (r *Report) standings(rival, short string, of []headline) string {
	var lines strings.Builder
	for _, h := range of {
		lines.WriteString(r.standing(h))
	}
	if lines.Len() == 0 {
		return ""
	}
	return "| | std | " + rival + " | hashedwheel | to std | to " + short + " |\n|---|---:|---:|---:|---:|---:|\n" + lines.String()
}

// standing is the line of a headline, or nothing if it was not measured.
func (r *Report) standing(h headline) string {
	rows, name := r.caseOf(h)
	figures := distinct(rows, func(row Row) heading { return heading{row.Figure, row.Unit} })
	slices.Reverse(figures)
	i := slices.IndexFunc(figures, func(f heading) bool { return h.is(f.figure) })
	if i < 0 {
		return ""
	}
	f, rival := figures[i], h.rival
	if rival == "" {
		rival = r.best(h, rows, f)
	}
	mine, theirs := outcome(rows, h.ours, f.figure), outcome(rows, rival, f.figure)
	if mine.isMissing() || theirs.isMissing() {
		return ""
	}
	text, by := strings.ReplaceAll(h.text, "%s", name), ratio(rows, h.ours, rival, f.figure)
	if worse(by, f.unit) || worse(mine.value/theirs.value, f.unit) || math.IsNaN(mine.value) {
		text = "**" + text + "**"
	}
	return fmt.Sprintf("| %s | %s | %s %s | %s | %s | %s |\n", text, amount(summarize(rows, base, f.figure), f.unit),
		rival, amount(theirs, f.unit), amount(mine, f.unit), times(ratio(rows, h.ours, base, f.figure)), times(by))
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
		if math.IsNaN(best) || worse(best/c.value, f.unit) {
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
	return peer != "std-after" && !strings.HasPrefix(peer, ours)
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
	return len(mine) == 0 || !worse(ratio(rows, peer, base, figure), mine[0].Unit)
}

// isMarked reports whether a peer did something wrong in any round of a case.
func isMarked(rows []Row, peer string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Peer == peer && r.Mark != "" })
}

// worse reports whether a ratio is on the wrong side of one, as far as it shows.
func worse(ratio float64, unit string) bool {
	if unit == loads.PerSecond {
		return ratio < 0.995
	}
	return ratio > 1.005
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
