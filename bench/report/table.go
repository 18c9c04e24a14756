package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Peer is how a peer appears in the report.
type Peer struct {
	Name    string // as in Row
	Label   string // with what sets it apart, its own tick for example
	What    string
	Version string
	Cannot  string
}

// Load is how a load appears in the report.
type Load struct{ Name, What string }

// Report is all that is to be written.
type Report struct {
	About []string // date, commit, machine and command
	Notes []string // what the reader must know beside the tables
	Peers []Peer
	Loads []Load
	Plots []Drawn
	Rows  []Row
}

// Markdown writes a section for each load and a table for each case.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Comparison\n\n")
	for _, line := range r.About {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\nMedians over the rounds; in brackets the ratio to `std`: the median of those within each round, with the figure of that round. Less is better, " +
		"but for calls a second. A peer that failed has what happened in place of a figure.\n")
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	fmt.Fprintf(&b, "\n## In nine rows\n\n%s", r.README())
	fmt.Fprintf(&b, "\n## In short\n\n%s\n%s\n", r.Standing(), standingNote)
	if netty := r.Netty(); netty != "" {
		fmt.Fprintf(&b, "\n### Against Netty, each with its tasks on its worker\n\n%s", netty)
	}
	if servers := r.Deadlines(); servers != "" {
		fmt.Fprintf(&b, "\n### Whole servers, against SetReadDeadline\n\n%s", servers)
	}
	for _, l := range r.Loads {
		rows := where(r.Rows, func(row Row) bool { return row.Load == l.Name })
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", l.Name, l.What)
		}
		for _, name := range distinct(rows, func(row Row) string { return row.Case }) {
			r.table(&b, name, where(rows, func(row Row) bool { return row.Case == name }))
		}
	}
	r.plots(&b)
	r.peers(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is a column of a table.
type heading struct{ figure, unit string }

func (r *Report) table(b *strings.Builder, name string, rows []Row) {
	headings := distinct(rows, func(row Row) heading { return heading{row.Figure, row.Unit} })
	headings = slices.DeleteFunc(headings, func(h heading) bool { return h.figure == Whole })
	fmt.Fprintf(b, "\n**%s**\n\n", name)
	if len(headings) > 0 {
		b.WriteString("| peer |")
		for _, h := range headings {
			fmt.Fprintf(b, " %s, %s |", h.figure, h.unit)
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", len(headings)) + "\n")
	}
	var without []string
	for _, p := range r.Peers {
		mine := where(rows, func(row Row) bool { return row.Peer == p.Name })
		whole := summarize(mine, p.Name, Whole)
		switch {
		case len(mine) == 0:
		case strings.HasPrefix(whole.mark, unsupported):
			without = append(without, p.Label+strings.TrimPrefix(whole.mark, unsupported))
		case whole.mark != "":
			fmt.Fprintf(b, "| %s | **%s** |%s\n", p.Label, whole.mark, strings.Repeat(" |", max(0, len(headings)-1)))
		default:
			fmt.Fprintf(b, "| %s |%s\n", p.Label, cells(rows, p.Name, headings))
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(b, "\nNo part in this: %s.\n", strings.Join(without, "; "))
	}
}

const unsupported = "not supported"

func cells(rows []Row, peer string, headings []heading) string {
	var b strings.Builder
	for _, h := range headings {
		fmt.Fprintf(&b, " %s |", summarize(rows, peer, h.figure))
	}
	return b.String()
}

// String writes the value, the ratio and the mark, as far as there are such.
func (c cell) String() string {
	var parts []string
	if !math.IsNaN(c.value) {
		parts = append(parts, Number(c.value))
	}
	if !math.IsNaN(c.ratio) {
		parts = append(parts, fmt.Sprintf("(%s)", Number(c.ratio)))
	}
	if c.mark != "" {
		parts = append(parts, "**"+c.mark+"**")
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, " ")
}

// Number writes about three significant digits, and no exponent.
func Number(v float64) string {
	size := math.Abs(v)
	switch {
	case size >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 0.1 || size == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func (r *Report) plots(b *strings.Builder) {
	if len(r.Plots) > 0 {
		b.WriteString("\n## Plots\n")
	}
	for _, d := range r.Plots {
		fmt.Fprintf(b, "\n![%s](%s)\n", strings.TrimSuffix(d.File, ".svg"), d.File)
		if d.Note != "" {
			fmt.Fprintf(b, "\n%s\n", d.Note)
		}
	}
}

func (r *Report) peers(b *strings.Builder) {
	b.WriteString("\n## Peers\n\n| peer | what | version | what it cannot do |\n|---|---|---|---|\n")
	for _, p := range r.Peers {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", p.Name, p.What, p.Version, p.Cannot)
	}
}
