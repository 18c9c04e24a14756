package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// dump prints the calls of a history that is a violation, and draws it in an HTML file.
func (v verdict) dump(w io.Writer, maxPending int, file string) {
	for _, f := range v.faults {
		fmt.Fprintln(w, f)
	}
	m := specification(maxPending)
	ops := operations(v.points)
	if maxPending > 0 {
		dumpPart(w, m, ops)
	} else {
		for _, part := range byTimeout(ops) {
			dumpPart(w, m, part)
		}
	}
	for i, row := range rows(v.points) {
		ops[i].ClientId = row
	}
	_, info := porcupine.CheckOperationsVerbose(m, ops, checkLimit)
	if err := porcupine.VisualizePath(m, info, file); err != nil {
		fmt.Fprintln(w, "not drawn:", err)
		return
	}
	fmt.Fprintln(w, "drawn in", file)
}

// dumpPart prints the part of the history of one timeout, or of all that share WithMaxPending, if
// that part is a violation.
func dumpPart(w io.Writer, m porcupine.Model, part []porcupine.Operation) {
	m.Partition = nil
	result, info := porcupine.CheckOperationsVerbose(m, part, checkLimit)
	if result == porcupine.Ok {
		return
	}
	fmt.Fprintf(w, "\n%14s%14s  %-10s in the order in which they began, µs\n", "from", "to", "by")
	byCall := func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) }
	inOrder := slices.SortedFunc(slices.Values(part), byCall)
	for _, o := range inOrder {
		fmt.Fprintln(w, line(o))
	}
	placed := longest(info)
	fmt.Fprintf(w, "\nthe longest order that the promises allow has %d of these %d:\n", len(placed), len(part))
	s := m.Init()
	for _, o := range placed {
		_, s = m.Step(s, o.Input, nil)
		fmt.Fprintf(w, "%s\n%42s→ %s\n", line(o), "", m.DescribeState(s))
	}
	fmt.Fprintln(w, "\nand then none of these can be next:")
	for _, o := range inOrder {
		if !slices.Contains(placed, o) {
			fmt.Fprintln(w, line(o))
		}
	}
}

func longest(info porcupine.LinearizationInfo) (longest []porcupine.Operation) {
	for _, orders := range info.PartialLinearizationsOperations() {
		for _, o := range orders {
			if len(o) > len(longest) {
				longest = o
			}
		}
	}
	return longest
}

func line(o porcupine.Operation) string {
	e := o.Input.(event)
	by := fmt.Sprintf("client %d", e.client)
	if e.client == worker {
		by = "a task"
		if e.what == run {
			by = "the worker"
		}
	}
	return fmt.Sprintf("%14.3f%14.3f  %-10s %v", micros(e.call), micros(e.ret), by, e)
}

func micros(ns int64) float64 { return float64(ns) / float64(time.Microsecond) }

// rows puts each point in a row of the drawing in which nothing overlaps it.
func rows(points []event) []int {
	byCall := make([]int, len(points))
	for i := range byCall {
		byCall[i] = i
	}
	slices.SortFunc(byCall, func(a, b int) int { return cmp.Compare(points[a].call, points[b].call) })
	var ends []int64 // of each row
	row := make([]int, len(points))
	for _, i := range byCall {
		r := slices.IndexFunc(ends, func(end int64) bool { return end < points[i].call })
		if r < 0 {
			r = len(ends)
			ends = append(ends, 0)
		}
		ends[r], row[i] = points[i].ret, r
	}
	return row
}
