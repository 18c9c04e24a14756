package hook

import "time"

// Left returns how long it is until the deadline of a *hashedwheel.Timeout that has been armed, which is at most zero
// once the deadline has passed, and the largest Duration if it never comes. That takes one reading of the monotonic
// clock, where Timeout.Deadline and Timer.Now read both clocks each. The root package sets Left in init.
var Left func(timeout any) time.Duration
