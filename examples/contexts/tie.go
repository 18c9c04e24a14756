package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// tie stops a timeout when a context ends. Once the timeout has expired or was
// stopped otherwise, untie lets the context forget it.
func tie(ctx context.Context, to *hashedwheel.Timeout) (untie func() bool) {
	return context.AfterFunc(ctx, func() { to.Stop() })
}

// tieMany arms timeouts that would expire in an hour, ties them to one context
// and cancels it. It returns how many were stopped, and how many ran.
func tieMany(tm *hashedwheel.Timer, cfg config) (tied, stopped int, ran int64) {
	ctx, cancel := context.WithCancel(context.Background())
	var expired atomic.Int64
	all := make([]*hashedwheel.Timeout, cfg.contexts)
	for i := range all {
		all[i] = tm.AfterFunc(time.Hour, func() { expired.Add(1) })
		tie(ctx, all[i])
	}
	cancel()
	until(grace, func() bool { return tm.Pending() == 0 }) // context.AfterFunc starts a goroutine for each
	for _, to := range all {
		if to.State() == hashedwheel.Cancelled {
			stopped++
		}
	}
	return len(all), stopped, expired.Load()
}

// until waits for something to be done, no longer than patience.
func until(patience time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(patience); !done(); {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}
