package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// write prints the table of a load: a row for each case, a column for each
// figure, and in a cell the figures of all peers.
func (r *run) write(w io.Writer, l load) {
	names := []string{}
	for _, p := range r.peers {
		names = append(names, p.name)
	}
	fmt.Fprintf(w, "\n## %s\n\n%s In each cell: %s.\n\n", l.name, l.what, strings.Join(names, " / "))
	columns := r.columns(l)
	fmt.Fprintf(w, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, k := range r.chosen(l) {
		fmt.Fprintf(w, "| %s |", k.name)
		for _, column := range columns {
			cells := []string{}
			for _, p := range r.peers {
				cells = append(cells, cell(r.rows[key{l.name, k.name, p.name}], column))
			}
			fmt.Fprintf(w, " %s |", strings.Join(cells, " / "))
		}
		fmt.Fprintln(w)
	}
}

// columns returns the names of a load's figures.
func (r *run) columns(l load) (names []string) {
	for _, k := range r.chosen(l) {
		for _, p := range r.peers {
			for _, o := range r.rows[key{l.name, k.name, p.name}] {
				for _, f := range o.Figures {
					if !slices.Contains(names, f.Name) {
						names = append(names, f.Name)
					}
				}
			}
		}
	}
	if names == nil {
		return []string{"outcome"}
	}
	return names
}

// cell is one figure of one peer: the median of its rounds, the least and the
// most of them, and what is to be said about any.
func cell(rounds []outcome, column string) string {
	if len(rounds) == 0 {
		return "–"
	}
	values, marks := []float64{}, []string{}
	for _, o := range rounds {
		value, mark, ok := o.find(column)
		if ok {
			values = append(values, value)
		}
		if mark != "" && !slices.Contains(marks, mark) {
			marks = append(marks, mark)
		}
	}
	parts := []string{}
	if len(values) > 0 {
		slices.Sort(values)
		parts = append(parts, number(values[len(values)/2]))
	}
	if last := len(values) - 1; last > 0 {
		parts = append(parts, fmt.Sprintf("[%s–%s]", number(values[0]), number(values[last])))
	}
	return strings.Join(append(parts, marks...), " ")
}

// find returns a figure, if there is a value, and what is to be said about it.
func (o outcome) find(name string) (value float64, mark string, ok bool) {
	for _, f := range o.Figures {
		if f.Name == name {
			return f.Value, f.Mark, !f.Void
		}
	}
	return 0, o.Fault, false
}

// number writes three digits, or all of a whole number: 0.123, 4.57, 12,346.
func number(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return numbers.Grouped(int(math.Round(v)))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
