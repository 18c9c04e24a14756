package main

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// leases are renewed by the heartbeats of nodes, each on a ticker, and lost by silent nodes. Their code
// uses only Kubernetes' clocks.
type leases struct {
	clock    clock.WithTickerAndDelayedExecution
	duration time.Duration

	renewed, lost atomic.Int64
}

// run has n nodes beat for d. Every tenth node stops after half the time.
func (l *leases) run(n int, d time.Duration) {
	var all sync.WaitGroup
	for i := range n {
		beats := d
		if i%10 == 0 {
			beats = d / 2
		}
		all.Go(func() { l.beat(beats) })
	}
	l.clock.Sleep(d)
	all.Wait()
}

// beat is the life of a node: its lease ends a duration after its last heartbeat.
func (l *leases) beat(beats time.Duration) {
	lease := l.clock.AfterFunc(l.duration, func() { l.lost.Add(1) })
	heart := l.clock.NewTicker(l.duration / 4)
	defer heart.Stop()
	end := l.clock.NewTimer(beats)
	for {
		select {
		case <-heart.C():
			lease.Reset(l.duration)
			l.renewed.Add(1)
		case <-end.C():
			return
		}
	}
}
