package gnet

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
)

// Schedule runs r in the loop after delay, up to a tick late, so r needs no lock for the loop's data. As of gnet
// v2.9.4, EventLoop.Schedule is not supported. Timeout.Stop prevents the run. The Timer may have the executor Inline,
// since Execute only sends r to the loop. After the engine is shut down, r does not run.
func Schedule(
	ctx context.Context, tm *hashedwheel.Timer, loop gnet.EventLoop, r gnet.Runnable, delay time.Duration,
) (*hashedwheel.Timeout, error) {
	return tm.Schedule(delay, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { _ = loop.Execute(ctx, r) }))
}
