package idle

import "time"

// traffic is what the kernel reports about the data of a connection.
type traffic struct {
	received, sent, acked time.Duration // how long ago the last data or acknowledgment was
	resending             bool          // for want of an acknowledgment
	before, after         time.Duration // the time around the query, on the clock of the limit
}

// granularity is the most by which the kernel's answer can be too large: it counts jiffies, 1 to 10 ms long, and rounds
// both the present and the moment of the last data down to one. A jiffy of 10 ms is that of a kernel built with HZ=100,
// the slowest in use.
const granularity = 10 * time.Millisecond

// quiet returns how long, at least, no data has been received or sent. If that is less than the idle time, the next
// look is due when it could reach the idle time.
//
// Data that the kernel sends again counts as sent, though it is not new. So if the kernel waits for an acknowledgment,
// and nothing has been received for the idle time, quiet suspects that the peer has vanished. If the next look, an idle
// time later, finds the same, and no acknowledgment since the suspicion, no new data has been sent either.
func (s *setting) quiet(t traffic, receivedOnly bool) time.Duration {
	received, sent, acked := t.received-granularity, t.sent-granularity, t.acked-granularity
	suspected := s.suspected
	s.suspected = 0
	switch {
	case receivedOnly:
		return received
	case !t.resending || sent >= s.d:
		return min(received, sent)
	case received < s.d:
		return received
	}
	s.suspected = t.before
	age := t.after - suspected
	if suspected > 0 && age >= s.d && acked >= age {
		return min(received, acked)
	}
	return -granularity // the idle time begins again
}
