package main

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/hashedwheel/hashedwheel"
)

// ledger is the books of all timeouts of a timer.
type ledger [maxTimeouts]books

// specification returns the model of a timer that has at most maxPending
// timeouts pending, 0 for no bound. Without a bound the timeouts have nothing to
// do with each other, and each is checked by itself.
func specification(maxPending int) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{ledger{}} },
		Step: func(s, input, _ any) (next []any) {
			for _, l := range s.(ledger).after(input.(event), maxPending) {
				next = append(next, l)
			}
			return next
		},
		DescribeOperation: func(input, _ any) string { return input.(event).String() },
		DescribeState:     func(s any) string { return s.(ledger).String() },
	}
	if maxPending == 0 {
		m.Partition = byTimeout
	}
	return m.ToModel()
}

func (l ledger) after(e event, maxPending int) (next []ledger) {
	r := room{free: true}
	if maxPending > 0 {
		n := l.pending()
		r = room{free: n < maxPending, full: n+e.slack >= maxPending}
	}
	for _, b := range l[e.timeout].after(e, r) {
		l[e.timeout] = b
		next = append(next, l)
	}
	return next
}

func (l ledger) pending() (n int) {
	for _, b := range l {
		if b.state == hashedwheel.Pending {
			n++
		}
	}
	return n
}

func (l ledger) String() string {
	var s []string
	for i, b := range l {
		if b != (books{}) {
			s = append(s, fmt.Sprintf("%d: %v", i, b))
		}
	}
	return strings.Join(s, "; ")
}

func byTimeout(history []porcupine.Operation) (parts [][]porcupine.Operation) {
	var of [maxTimeouts][]porcupine.Operation
	for _, o := range history {
		i := o.Input.(event).timeout
		of[i] = append(of[i], o)
	}
	for _, part := range of {
		if len(part) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}
