package peers

import "time"

var std = Peer{
	Name: "std",
	What: "time.AfterFunc, Timer.Reset and Stop",
	Owns: true,
	Open: func(time.Duration) Timer { return stdTimer{} },
}

// Std returns package time.
func Std() Timer { return stdTimer{} }

// stdTimer is package time: a runtime timer each, a goroutine for each that fires.
type stdTimer struct{}

func (stdTimer) Arm(d time.Duration, f func()) Armed { return time.AfterFunc(d, f) }

func (stdTimer) Own(f func()) Owned {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

func (stdTimer) Close() {}
