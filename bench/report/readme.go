package report

import (
	"fmt"
	"math"
	"strings"
)

// group is some rows of the README's table about one thing.
type group struct {
	name string
	rows []headline
}

// groups are the nine rows of the README: what each of its readers asks, two that
// we lose among them.
var groups = []group{
	{"Idle connections", []headline{
		{text: "Move one of a million idle timeouts on (here by `ResetAt`, the clock read once for 256)", load: "move", ours: ours + "-resetat", is: allCPUs},
		{text: "Share of a core while a million wait for an hour, tick of 1 ms", load: "idle", ours: ours, is: farAway},
		{text: "Move 160,000 at once to two seconds from now, CPU time each", load: "move", nth: -1, ours: ours, is: named("CPU")},
	}},
	{"Calls", []headline{
		{text: "Deadlines armed and stopped 5 ms later, a second", load: "rpc", ours: ours, is: named("calls")},
	}},
	{"Expiry", []headline{
		{text: "A million armed and expired, CPU time each", load: "fire", nth: -1, ours: ours, is: named("CPU")},
		{text: "Arm a timeout while a million are due, 99th percentile", load: "due", ours: ours, is: named("arming p99")},
		{text: "How late a timeout runs at a tick of 1 ms, median", load: "late", ours: ours, is: named("p50")},
	}},
	{"Cost", []headline{
		{text: "Memory of a pending timeout, its function not counted", load: "memory", ours: ours, is: named("a timeout")},
		{text: "45,000 of 200,000 stopped, 1 KiB each: what stays in memory", load: "memory", nth: -1, ours: ours, is: named("held by the stopped")},
	}},
}

// README writes the table for the README.
func (r *Report) README() string {
	var b strings.Builder
	b.WriteString("| | package time | hashedwheel | |\n|---|---:|---:|---|\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "| **%s** | | | |\n", g.name)
		for _, h := range g.rows {
			b.WriteString(r.readmeRow(h))
		}
	}
	return b.String()
}

// unlike is from where on the README says how far apart even figures are.
const unlike = 1.1

func (r *Report) readmeRow(h headline) string {
	rows, _ := r.caseOf(h)
	f, ok := figureOf(rows, h)
	both := middle(rows, h.ours, base, f.figure)
	if !ok || math.IsNaN(both.ratio) {
		return fmt.Sprintf("| %s | – | – | not measured |\n", h.text)
	}
	within := band(rows, f.figure)
	is, seems := judge(both.ratio, within, f.unit), judge(both.ratio, unlike, f.unit)
	said := is.inWords(both.ratio)
	if is == even && seems != even {
		said = fmt.Sprintf("%s, within the noise of ±%.0f%%", seems.inWords(both.ratio), 100*(within-1))
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", h.text, amount(cell{value: both.other}, f.unit),
		amount(cell{value: both.value}, f.unit), said)
}

// inWords writes a verdict with its factor: 2.1 times better.
func (v verdict) inWords(ratio float64) string {
	factor := max(ratio, 1/ratio)
	switch {
	case v == even:
		return string(v)
	case math.IsInf(factor, 1) || factor >= 1000:
		return "over 1,000 times " + string(v)
	case factor >= 10:
		return fmt.Sprintf("%.0f times %s", factor, v)
	}
	return fmt.Sprintf("%.1f times %s", factor, v)
}

// The marks between which the table stands in the README.
const (
	TableBegins = "<!-- table of bench/cmd/compare -->\n"
	TableEnds   = "<!-- end of the table -->\n"
)

// PutTable returns text with the table between the marks; ok says whether there
// are such.
func PutTable(text, table string) (with string, ok bool) {
	before, rest, begins := strings.Cut(text, TableBegins)
	_, after, ends := strings.Cut(rest, TableEnds)
	if !begins || !ends {
		return text, false
	}
	return before + TableBegins + "\n" + table + "\n" + TableEnds + after, true
}
