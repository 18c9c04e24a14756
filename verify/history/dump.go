package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// dump prints a violation: how far the promises allow an order of the calls, and the calls that cannot follow.
func (v verdict) dump(w io.Writer, maxPending int) {
	for _, f := range v.faults {
		fmt.Fprintln(w, f)
	}
	ops := operations(v.points)
	parts := [][]porcupine.Operation{ops}
	if maxPending == 0 {
		parts = byTimeout(ops)
	}
	for _, part := range parts {
		dumpPart(w, specification(maxPending), part)
	}
}

// dumpPart prints the part of one timeout, or of all that share WithMaxPending, if that part is a violation.
func dumpPart(w io.Writer, m porcupine.Model, part []porcupine.Operation) {
	m.Partition = nil
	result, info := porcupine.CheckOperationsVerbose(m, part, checkLimit)
	if result == porcupine.Ok {
		return
	}
	placed := longest(info)
	fmt.Fprintf(w, "\nthe longest order that the promises allow has %d of %d, each from and to so many µs:\n",
		len(placed), len(part))
	s := m.Init()
	for _, o := range placed {
		_, s = m.Step(s, o.Input, nil)
		fmt.Fprintf(w, "%s\n%42s→ %s\n", line(o), "", m.DescribeState(s))
	}
	fmt.Fprintln(w, "\nand then none of these can be next:")
	for _, o := range slices.SortedFunc(slices.Values(part), func(a, b porcupine.Operation) int {
		return cmp.Compare(a.Call, b.Call)
	}) {
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
