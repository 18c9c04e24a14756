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
	is    func(figure string) bool
	rival string // to be compared with; "" is the best of all others
}

// named matches a figure by its name, allCPUs the one with most goroutines.
func named(name string) func(string) bool { return func(figure string) bool { return figure == name } }

func allCPUs(figure string) bool { return strings.HasSuffix(figure, "goroutines") }

// headlines are what the three kinds of users of a timer ask first, then what it
// costs and how exact it is.
var headlines = []headline{
	{"arm a new timeout and stop it, %s", "arm", 0, ours, allCPUs, ""},
	{"… %s", "arm", -1, ours, allCPUs, ""},
	{"re-arm an owned timeout and stop it", "rearm", 0, ours, allCPUs, ""},
	{"… with `ResetAt`, the clock already read", "rearm", 0, ours + "-resetat", allCPUs, ""},
	{"move %s", "move", 0, ours, allCPUs, ""},
	{"… with `ResetAt`", "move", 0, ours + "-resetat", allCPUs, ""},
	{"move %s", "move", -1, ours, named("CPU"), ""},
	{"%s, CPU", "fire", -1, ours, named("CPU"), ""},
	{"… with `Inline`", "fire", -1, ours + "-inline", named("CPU"), ""},
	{"rate of calls with a deadline each", "rpc", 0, ours, named("calls"), ""},
	{"… peak heap", "rpc", 0, ours, named("peak heap"), ""},
	{"… slowest arming in a thousand", "rpc", 0, ours, named("arming p99.9"), ""},
	{"rate of calls that reuse their timeouts", "reuse", 0, ours, named("calls"), ""},
	{"… peak heap", "reuse", 0, ours, named("peak heap"), ""},
	{"slowest arming in a thousand, %s", "due", 0, ours, named("arming p99.9"), ""},
	{"memory of a pending timeout, without its function", "memory", 0, ours, named("a timeout"), ""},
	{"peak heap of arm and stop on all CPUs", "memory", -1, ours, named("peak heap"), ""},
	{"wait for a million far away, %s", "idle", 0, ours, func(f string) bool { return strings.HasSuffix(f, " far") && f != "one far" }, ""},
	{"lateness at a tick of 1 ms, p50", "late", 0, ours, named("p50"), ""},
	{"… p99", "late", 0, ours, named("p99"), ""},
	{"… beside busy producers, p50", "late", -1, ours, named("p50"), ""},
	{"… beside busy producers, p99", "late", -1, ours, named("p99"), ""},
}

// againstNetty are the loads that Netty has a part in, at the same tick for both.
func againstNetty() (all []headline) {
	for _, tick := range []string{"1ms", "10ms", "100ms"} {
		us, them := ours+"-"+tick, "netty-"+tick
		all = append(all,
			headline{"tick of " + tick + ": arm a new timeout and stop it, %s", "arm", 0, us, allCPUs, them},
			headline{"… %s", "arm", -1, us, allCPUs, them},
			headline{"… %s, CPU", "fire", -1, us, named("CPU"), them},
			headline{"… rate of calls with a deadline each", "rpc", 0, us, named("calls"), them},
			headline{"… peak heap", "rpc", 0, us, named("peak heap"), them},
			headline{"… slowest arming in a thousand", "rpc", 0, us, named("arming p99.9"), them},
		)
	}
	return all
}

const standingNote = "The best other is the best of all peers, std included, that did in that case what it was asked to: " +
	"those that fired early, lost timeouts or hung are in the tables below. Rows in bold are those that we lose."

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
	i := slices.IndexFunc(figures, func(f heading) bool { return h.is(f.figure) })
	if i < 0 {
		return ""
	}
	f, rival := figures[i], h.rival
	if rival == "" {
		rival = r.best(rows, f)
	}
	mine, theirs := summarize(rows, h.ours, f.figure), summarize(rows, rival, f.figure)
	if failed := summarize(rows, rival, Whole); failed.mark != "" {
		theirs.mark = failed.mark
	}
	if math.IsNaN(mine.value) || math.IsNaN(theirs.value) && theirs.mark == "" {
		return ""
	}
	text, by := strings.ReplaceAll(h.text, "%s", name), ratio(rows, h.ours, rival, f.figure)
	if worse(by, f.unit) {
		text = "**" + text + "**"
	}
	return fmt.Sprintf("| %s | %s | %s %s | %s | %s | %s |\n", text, amount(summarize(rows, base, f.figure), f.unit),
		rival, amount(theirs, f.unit), amount(mine, f.unit), times(ratio(rows, h.ours, base, f.figure)), times(by))
}

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
func (r *Report) best(rows []Row, f heading) (peer string) {
	best := math.NaN()
	for _, p := range r.Peers {
		c := summarize(rows, p.Name, f.figure)
		if strings.HasPrefix(p.Name, ours) || isMarked(rows, p.Name) || math.IsNaN(c.value) {
			continue
		}
		if math.IsNaN(best) || worse(best/c.value, f.unit) {
			best, peer = c.value, p.Name
		}
	}
	return peer
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
	switch unit {
	case loads.PerOp, loads.Each:
		unit = "ns"
	case loads.PerSecond:
		unit = "/s"
	case loads.OfCore:
		return Number(c.value) + "%"
	}
	return strings.TrimSuffix(Number(c.value)+" "+unit, " ")
}

// times writes a ratio.
func times(ratio float64) string {
	if math.IsNaN(ratio) {
		return "–"
	}
	return Number(ratio)
}
