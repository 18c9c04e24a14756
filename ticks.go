package hashedwheel

// A tick counts the ticks since the timer was made. Tick 0 begins as the timer is made.
type tick int64

const noTick tick = 1<<63 - 1 // later than every tick: none

// ticks converts between ticks and times in ns since the timer was made. It is read only.
type ticks struct {
	len   int64 // ns
	never tick  // the tick of maxDeadline, which no clock reaches
}

func newTicks(len int64) ticks { return ticks{len, ticks{len: len}.of(maxDeadline)} }

// of returns the first tick that begins at a time or later.
func (k ticks) of(deadline int64) tick { return tick((deadline + k.len - 1) / k.len) }

// at returns the last tick that has begun at a time.
func (k ticks) at(now int64) tick { return tick(now / k.len) }

// start returns the time at which a tick begins, or maxDeadline if no clock reaches it.
func (k ticks) start(t tick) int64 {
	if t >= k.never {
		return maxDeadline
	}
	return int64(t) * k.len
}
