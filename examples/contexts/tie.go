package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// tie stops a timeout when a context ends. Call untie when the timeout has expired or was stopped,
// so that the context no longer refers to it.
func tie(ctx context.Context, to *hashedwheel.Timeout) (untie func() bool) {
	return context.AfterFunc(ctx, func() { to.Stop() })
}

// tieMany ties timeouts to one context and cancels it. It returns how many were tied, how many
// were stopped, and how many ran.
func tieMany(tm *hashedwheel.Timer, cfg config) (tied, stopped int, ran int64) {
	ctx, cancel := context.WithCancel(context.Background())
	var expired atomic.Int64
	all := make([]*hashedwheel.Timeout, cfg.contexts)
	for i := range all {
		all[i] = tm.AfterFunc(time.Hour, func() { expired.Add(1) })
		tie(ctx, all[i])
	}
	cancel()
	example.Until(grace, func() bool { return tm.Pending() == 0 }) // context.AfterFunc starts a goroutine for each
	for _, to := range all {
		if to.State() == hashedwheel.Canceled {
			stopped++
		}
	}
	return len(all), stopped, expired.Load()
}
