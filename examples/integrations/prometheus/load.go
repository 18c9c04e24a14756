package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A load arms timeouts and stops nearly all of them a moment later.
type load struct {
	name            string
	timer           *hashedwheel.Timer
	open            []*hashedwheel.Timeout // armed by the latest call of arm
	armed, canceled int
}

// newLoad returns a load on a new Timer, whose name is a label.
func newLoad(name string, tick time.Duration) *load {
	return &load{name: name, timer: hashedwheel.MustNew(
		hashedwheel.WithTick(tick),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}), // Stats counts the panics
	)}
}

func (l *load) collector() *collector { return newCollector(l.timer, l.name) }

// arm stops the timeouts of its previous call and arms n new ones. One in a hundred is due at once,
// and one in a thousand panics.
func (l *load) arm(n int) {
	for _, to := range l.open {
		if to.Stop() {
			l.canceled++
		}
	}
	l.open = l.open[:0]
	for i := range n {
		switch {
		case i%1000 == 0:
			l.timer.AfterFunc(0, func() { panic("on purpose") })
		case i%100 == 0:
			l.timer.AfterFunc(0, func() {})
		default:
			l.open = append(l.open, l.timer.AfterFunc(time.Hour, func() {}))
		}
	}
	l.armed += n
}

// stop stops the Timer, so that its metrics no longer change.
func (l *load) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	left, err := l.timer.Shutdown(ctx)
	l.canceled += len(left)
	return err
}

// verdict returns an error for each wrong metric, once the load has stopped.
func (l *load) verdict(metrics string) error {
	var errs []error
	check := func(metric string, want int) {
		if line := fmt.Sprintf("%s %v\n", metric, float64(want)); !strings.Contains(metrics, line) {
			errs = append(errs, fmt.Errorf("no %q in the metrics", strings.TrimSpace(line)))
		}
	}
	check(fmt.Sprintf(`hashedwheel_timeouts_pending{timer=%q}`, l.name), 0)
	check(fmt.Sprintf(`hashedwheel_timeouts_ended_total{outcome="canceled",timer=%q}`, l.name), l.canceled)
	check(fmt.Sprintf(`hashedwheel_timeouts_ended_total{outcome="expired",timer=%q}`, l.name), l.armed-l.canceled)
	check(fmt.Sprintf(`hashedwheel_timeouts_ended_total{outcome="rejected",timer=%q}`, l.name), 0)
	return errors.Join(errs...)
}
