package gnet

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
)

// Schedule has the loop run r once delay has passed, up to a tick late: so r needs no lock for the loop's data. The
// EventLoop's own Schedule is not supported yet, as of gnet v2.9.4. Stop of the Timeout prevents the run. The Timer may
// have the executor Inline, since Execute only sends r to the loop. r does not run once the engine is shut down.
func Schedule(
	ctx context.Context, tm *hashedwheel.Timer, loop gnet.EventLoop, r gnet.Runnable, delay time.Duration,
) (*hashedwheel.Timeout, error) {
	return tm.Schedule(delay, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { _ = loop.Execute(ctx, r) }))
}
