package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// Peer is how a peer appears in the report.
type Peer struct {
	Name    string // as in Row
	Label   string // the name, with a tick that differs from the others'
	What    string
	Version string
	Cannot  string
}

// Load is how a load appears in the report.
type Load struct {
	Name, What string
	Flat       bool // one table for all cases, a row for each case and peer
}

// Report is the content of the report.
type Report struct {
	About []string // date, commit, machine and command
	Notes []string // remarks above the tables
	Peers []Peer
	Loads []Load
	Plots []Drawn
	Rows  []Row
}

// Markdown writes a section for each load and a table for each case.
func (r *Report) Markdown() string {
	var b strings.Builder
	b.WriteString("# Comparison\n\n")
	for _, line := range r.About {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\nMedians over the rounds, with half the distance between the least and the most (±); in brackets the ratio to `std`: the median of the ratios within " +
		"each round, with the figure of that round. Less is better, except for calls a second. For a peer that failed the failure stands in place of the figure.\n")
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	fmt.Fprintf(&b, "\n## In five rows\n\n%s", r.README())
	fmt.Fprintf(&b, "\n## In short\n\n%s\n%s\n", r.Standing(), standingNote)
	if netty := r.Netty(); netty != "" {
		fmt.Fprintf(&b, "\n### Against Netty, each with its tasks on its worker\n\n%s", netty)
	}
	if servers := r.Deadlines(); servers != "" {
		fmt.Fprintf(&b, "\n### Whole servers, against SetReadDeadline\n\n%s", servers)
	}
	if cores := r.Cores(); cores != "" {
		fmt.Fprintf(&b, "\n## Many processors\n\n%s", cores)
	}
	b.WriteString(r.Tables())
	r.plots(&b)
	r.peers(&b)
	return b.String()
}

// Tables writes the tables of all loads.
func (r *Report) Tables() string {
	var b strings.Builder
	for _, l := range r.Loads {
		rows := where(r.Rows, func(row Row) bool { return row.Load == l.Name })
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", l.Name, l.What)
		cases := distinct(rows, func(row Row) string { return row.Case })
		if l.Flat {
			b.WriteString("\n")
			r.flat(&b, cases, rows)
			continue
		}
		for _, name := range cases {
			fmt.Fprintf(&b, "\n**%s**\n\n", name)
			r.table(&b, where(rows, func(row Row) bool { return row.Case == name }))
		}
	}
	return b.String()
}

// heading is a column of a table.
type heading struct{ figure, unit string }

// writeHeadings writes the head of a table and returns its columns of figures.
func writeHeadings(b *strings.Builder, first string, rows []Row) []heading {
	headings := distinct(rows, func(row Row) heading { return heading{row.Figure, row.Unit} })
	headings = slices.DeleteFunc(headings, func(h heading) bool { return h.figure == Whole })
	b.WriteString("| " + first + " |")
	for _, h := range headings {
		fmt.Fprintf(b, " %s, %s |", h.figure, h.unit)
	}
	if len(headings) == 0 {
		b.WriteString(" |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", strings.Count(first, "|")+1) + strings.Repeat("---:|", max(1, len(headings))) + "\n")
	return headings
}

// table writes the table of a case.
func (r *Report) table(b *strings.Builder, rows []Row) {
	headings := writeHeadings(b, "peer", rows)
	var without []string
	for _, p := range r.Peers {
		line, why := r.line(rows, p, headings)
		switch {
		case line != "":
			fmt.Fprintf(b, "| %s |%s\n", p.Label, line)
		case why != "":
			without = append(without, p.Label+strings.TrimPrefix(why, unsupported))
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(b, "\nNot measured: %s.\n", strings.Join(without, "; "))
	}
}

// flat writes one table for all cases of a load.
func (r *Report) flat(b *strings.Builder, cases []string, rows []Row) {
	headings := writeHeadings(b, "case | peer", rows)
	for _, name := range cases {
		mine := where(rows, func(row Row) bool { return row.Case == name })
		shown := name
		for _, p := range r.Peers {
			if line, _ := r.line(mine, p, headings); line != "" {
				fmt.Fprintf(b, "| %s | %s |%s\n", shown, p.Label, line)
				shown = ""
			}
		}
	}
}

const unsupported = "not supported"

// line returns the cells of a peer in a case, or the reason why there are none.
func (r *Report) line(rows []Row, p Peer, headings []heading) (line, why string) {
	mine := where(rows, func(row Row) bool { return row.Peer == p.Name })
	whole := summarize(mine, p.Name, Whole)
	switch {
	case len(mine) == 0:
		return "", ""
	case strings.HasPrefix(whole.mark, unsupported):
		return "", whole.mark
	case whole.mark != "":
		return fmt.Sprintf(" **%s** |%s", whole.mark, strings.Repeat(" |", max(0, len(headings)-1))), ""
	}
	for _, h := range headings {
		line += fmt.Sprintf(" %s |", summarize(rows, p.Name, h.figure))
	}
	return line, ""
}

// String formats the value, its spread, the ratio and the mark, if there are any.
func (c cell) String() string {
	var parts []string
	if !math.IsNaN(c.value) {
		parts = append(parts, numbers.Number(c.value))
		if c.spread >= 0.005 {
			parts = append(parts, fmt.Sprintf("±%.0f%%", 100*c.spread))
		}
	}
	if !math.IsNaN(c.ratio) {
		parts = append(parts, fmt.Sprintf("(%s)", numbers.Number(c.ratio)))
	}
	if c.mark != "" {
		parts = append(parts, "**"+c.mark+"**")
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, " ")
}

func (r *Report) plots(b *strings.Builder) {
	if len(r.Plots) > 0 {
		b.WriteString("\n## Plots\n")
	}
	for _, d := range r.Plots {
		fmt.Fprintf(b, "\n<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"%s\"><img alt=\"%s\" src=\"%s\"></picture>\n", DarkFile(d.File), d.Title, d.File)
		if d.Note != "" {
			fmt.Fprintf(b, "\n%s\n", d.Note)
		}
	}
}

func (r *Report) peers(b *strings.Builder) {
	b.WriteString("\n## Peers\n\n| peer | what | version | limits |\n|---|---|---|---|\n")
	for _, p := range r.Peers {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", p.Name, p.What, p.Version, p.Cannot)
	}
}
