package hashedwheel

// A tick counts the ticks since the timer was made. Tick 0 begins as the timer is made. A tick of the wheel is a tenth
// of a whole Tick, the one that WithTick sets, see newTicks.
type tick int64

const noTick tick = 1<<63 - 1 // later than every tick: none

// ticks converts between ticks and times in ns since the timer was made. It is read only.
type ticks struct {
	len   int64 // ns
	whole tick  // how many make a whole Tick
	never tick  // the tick of maxDeadline, which no clock reaches
}

// newTicks makes ticks of a tenth of slack, the whole Tick, or of fewer parts, each of at least 100 µs: for a shorter
// part, a run of the worker is not worth its cost.
func newTicks(slack int64) ticks {
	whole := max(1, min(10, slack/100_000))
	len := slack / whole
	return ticks{len, tick(whole), ticks{len: len}.of(maxDeadline)}
}

// of returns the first tick that begins at a time or later.
func (k ticks) of(deadline int64) tick { return tick((deadline + k.len - 1) / k.len) }

// roundUp returns the first tick from t on at which a whole Tick begins.
func (k ticks) roundUp(t tick) tick { return (t + k.whole - 1) / k.whole * k.whole }

// at returns the last tick that has begun at a time.
func (k ticks) at(now int64) tick { return tick(now / k.len) }

// start returns the time at which a tick begins, or maxDeadline if no clock reaches it.
func (k ticks) start(t tick) int64 {
	if t >= k.never {
		return maxDeadline
	}
	return int64(t) * k.len
}
