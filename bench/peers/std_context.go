package peers

import (
	"context"
	"time"
)

var stdContext = Peer{
	Name:   "std-context",
	What:   "context.WithTimeout, with context.AfterFunc where a function must run",
	Cannot: "cannot move a deadline: stopped and armed again",
	Await:  awaitContext,
	Open:   func(time.Duration) Timer { return contextTimer{} },
}

type contextTimer struct{}

func (contextTimer) Arm(d time.Duration, f func()) Armed {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return &contextArmed{context.AfterFunc(ctx, f), cancel}
}

func (contextTimer) ArmBare(d time.Duration) Armed {
	_, cancel := context.WithTimeout(context.Background(), d)
	return bareContext(cancel)
}

func (contextTimer) Close() {}

type contextArmed struct {
	stop   func() bool
	cancel context.CancelFunc
}

func (a *contextArmed) Stop() bool {
	stopped := a.stop()
	a.cancel()
	return stopped
}

type bareContext context.CancelFunc

func (cancel bareContext) Stop() bool {
	cancel()
	return true
}
