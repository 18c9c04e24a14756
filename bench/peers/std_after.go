package peers

import "time"

var stdAfter = Peer{
	Name: "std-after",
	What: "time.After, and a goroutine that waits on it where a function is to run",
	Cannot: "cannot be stopped: dropped for the collector to find; cannot be moved: armed anew; while nobody waits on a " +
		"channel the runtime does not keep its timer, so that where none is meant to expire this is an allocation and no more",
	Open: func(time.Duration) Timer { return afterTimer{} },
}

type afterTimer struct{}

func (afterTimer) Arm(d time.Duration, f func()) Armed {
	stop, due := make(stopChannel), time.After(d)
	go func() {
		select {
		case <-due:
			f()
		case <-stop:
		}
	}()
	return stop
}

func (afterTimer) ArmBare(d time.Duration) Armed { return dropped(time.After(d)) }

func (afterTimer) Close() {}

type stopChannel chan struct{}

func (c stopChannel) Stop() bool {
	close(c)
	return true
}

type dropped <-chan time.Time

func (dropped) Stop() bool { return false }
