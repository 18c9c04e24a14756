//go:build !linux

package hashedwheel

import "time"

// timerFD does something on Linux alone: elsewhere the runtime waits for its timers as precisely as the system can.
type timerFD struct{}

func (*timerFD) set(time.Duration) {}
func (*timerFD) close()            {}
