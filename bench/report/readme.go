package report

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// readme are the rows of the README's table. We lose the last.
var readme = []headline{
	{text: "Arm a new timeout and stop it, %s", load: "arm", nth: -1, ours: ours, is: allCPUs},
	{text: "%s, CPU time each", load: "fire", nth: -1, ours: ours, is: named("CPU")},
	{text: "Arm a timeout, %s: slowest in a hundred", load: "due", ours: ours, is: named("arming p99")},
	{text: "Memory of a pending timeout, its function not counted", load: "memory", ours: ours, is: named("a timeout")},
	{text: "How late a timeout runs at a tick of 1 ms, median", load: "late", ours: ours, is: named("p50")},
}

// README formats the table for the README.
func (r *Report) README() string {
	var b strings.Builder
	b.WriteString("| | package time | hashedwheel | |\n|---|---:|---:|---|\n")
	for _, h := range readme {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.readmeRow(h), " | "))
	}
	return b.String()
}

// Terminal formats the measured rows for a terminal.
func (r *Report) Terminal() string {
	var lines []string
	for _, h := range readme {
		if row := r.readmeRow(h); row[3] != unmeasured {
			lines = append(lines, strings.Join(row, "\t")+"\n")
		}
	}
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprint(w, "\tpackage time\thashedwheel\t\n"+strings.Join(lines, ""))
	_ = w.Flush() // a Builder does not fail
	return b.String()
}

// Count returns how many loads, cases and peers were measured, and how many failures there were.
func (r *Report) Count() string {
	rows := where(r.Rows, func(row Row) bool { return !strings.HasPrefix(row.Mark, unsupported) })
	count := func(key func(Row) string) int { return len(distinct(rows, key)) }
	failed := len(where(rows, func(row Row) bool { return row.Figure == Whole }))
	return fmt.Sprintf("loads: %d, cases: %d, peers: %d, failures: %d", count(func(row Row) string { return row.Load }),
		count(func(row Row) string { return row.Load + row.Case }), count(func(row Row) string { return row.Peer }), failed)
}

const unmeasured = "not measured"

// inFull spells sizes out.
var inFull = strings.NewReplacer("10M ", "ten million ", "1M ", "a million ")

func (r *Report) readmeRow(h headline) []string {
	rows, name := r.caseOf(h)
	text := inFull.Replace(strings.ReplaceAll(h.text, "%s", name))
	text = strings.ToUpper(text[:1]) + text[1:]
	f, ok := figureOf(rows, h)
	both := middle(rows, h.ours, base, f.figure)
	if !ok || math.IsNaN(both.ratio) {
		return []string{text, "–", "–", unmeasured}
	}
	said := judge(both.ratio, band(rows, f.figure), f.unit)
	return []string{text, amount(cell{value: both.other}, f.unit), amount(cell{value: both.value}, f.unit), said.inWords(both.ratio)}
}

// inWords adds the factor to a verdict: 2.1 times better.
func (v verdict) inWords(ratio float64) string {
	factor := max(ratio, 1/ratio)
	switch {
	case v == even || v == noisy:
		return string(v)
	case math.IsInf(factor, 1) || factor >= 1000:
		return "over 1,000 times " + string(v)
	case factor >= 10:
		return fmt.Sprintf("%.0f times %s", factor, v)
	}
	return fmt.Sprintf("%.1f times %s", factor, v)
}

// The marks around the table in the README.
const (
	TableBegins = "<!-- table of bench/cmd/compare -->\n"
	TableEnds   = "<!-- end of the table -->\n"
)

// PutTable returns text with the table between the marks; ok reports whether text has
// the marks.
func PutTable(text, table string) (with string, ok bool) {
	before, rest, begins := strings.Cut(text, TableBegins)
	_, after, ends := strings.Cut(rest, TableEnds)
	if !begins || !ends {
		return text, false
	}
	return before + TableBegins + "\n" + table + "\n" + TableEnds + after, true
}
