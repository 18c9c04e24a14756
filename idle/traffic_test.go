package idle

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuietOfTraffic(t *testing.T) {
	const d = 100 * time.Second
	type seconds = time.Duration
	ago := func(s seconds) time.Duration { return s*time.Second + granularity }
	once := func(received, sent, acked seconds) traffic {
		return traffic{received: ago(received), sent: ago(sent), acked: ago(acked)}
	}
	again := func(received, sent, acked seconds) traffic {
		t := once(received, sent, acked)
		t.resending = true
		return t
	}
	for name, tt := range map[string]struct {
		traffic
		receivedOnly bool
		suspected    seconds // ago; zero: not
		quiet        seconds
		suspect      bool
	}{
		"received last":                  {traffic: once(20, 30, 20), quiet: 20},
		"sent last":                      {traffic: once(200, 30, 30), quiet: 30},
		"nothing":                        {traffic: once(200, 100, 100), quiet: 100},
		"only received data counts":      {traffic: again(200, 1, 200), receivedOnly: true, quiet: 200},
		"sent again":                     {traffic: again(200, 30, 150), suspect: true},
		"sent again, soon after data":    {traffic: again(20, 10, 20), quiet: 20},
		"sent again, long ago":           {traffic: again(200, 110, 150), quiet: 110},
		"sent again at both":             {traffic: again(200, 30, 100), suspected: 100, suspect: true, quiet: 100},
		"the second is late":             {traffic: again(200, 30, 150), suspected: 150, suspect: true, quiet: 150},
		"the second is early":            {traffic: again(200, 30, 100), suspected: 99, suspect: true},
		"an acknowledgment between them": {traffic: again(200, 30, 99), suspected: 100, suspect: true},
		"an acknowledgment, and late":    {traffic: again(200, 30, 149), suspected: 150, suspect: true},
		"data between them":              {traffic: again(99, 30, 99), suspected: 100, quiet: 99},
		"answered between them":          {traffic: once(200, 30, 30), suspected: 100, quiet: 30},
		"answered, then nothing":         {traffic: once(200, 100, 100), suspected: 100, quiet: 100},
	} {
		tt.before, tt.after = time.Hour, time.Hour+time.Millisecond
		s := setting{d: d}
		if tt.suspected != 0 {
			s.suspected = tt.after - tt.suspected*time.Second
		}
		quiet := s.quiet(tt.traffic, tt.receivedOnly)
		require.Equal(t, tt.suspect, s.suspected == tt.before, name)
		require.Equal(t, !tt.suspect, s.suspected == 0, name)
		if tt.quiet == 0 {
			require.Equal(t, -granularity, quiet, "%s: the next look will be certain of an age of d", name)
			continue
		}
		require.Equal(t, tt.quiet*time.Second, quiet, name)
	}
}

// A modelKernel keeps the times of one connection, in milliseconds. It has at most one segment in flight.
type modelKernel struct {
	now, received, sent, acked int
	fresh                      int // when new data was last received or sent: what the library is to find out
	inFlight, queued           bool
	resent                     int
	rto, maxRTO, timeout       int
}

// step passes a millisecond, in which both ends may write, and packets arrive if the path is up.
func (k *modelKernel) step(up, here, there bool) {
	k.now++
	if up && there {
		k.received, k.acked, k.fresh = k.now, k.now, k.now
	}
	k.queued = k.queued || here
	switch {
	case !k.inFlight && k.queued:
		k.queued, k.inFlight, k.fresh = false, true, k.now
		k.rto = 200
	case k.inFlight && k.now == k.timeout:
		k.resent++
		k.rto = min(2*k.rto, k.maxRTO)
	default:
		return
	}
	k.sent, k.timeout = k.now, k.now+k.rto
	if up {
		k.acked, k.inFlight, k.resent = k.now, false, 0
	}
}

// look returns true if the connection is idle, otherwise the time of the next look. Each of the kernel's answers is too
// large by up to a jiffy.
func (k *modelKernel) look(s *setting) (idle bool, next int) {
	ago := func(then int) time.Duration {
		return time.Duration(k.now-then)*time.Millisecond + rand.N(granularity)
	}
	now := time.Duration(k.now) * time.Millisecond
	t := traffic{ago(k.received), ago(k.sent), ago(k.acked), k.resent > 0, now, now}
	quiet := s.quiet(t, false)
	return quiet >= s.d, k.now + int((s.d-quiet)/time.Millisecond) + 1
}

// Both ends write at random moments, the path goes down and up, and some looks are late. A connection is idle no sooner
// than d after the last new data, and no later than 2d after that and the last acknowledgment.
func TestNeverEarlyPeerThatSeemsToHaveVanished(t *testing.T) {
	const d, runs = 1000, 200
	const jiffies = 6 * int(granularity/time.Millisecond)
	resending := 0
	for range runs {
		k := &modelKernel{maxRTO: 200 + rand.IntN(d)}
		up, changes := true, 50+rand.IntN(d)
		onlyHere, writes, writesEnd := rand.IntN(3) > 0, 50+rand.IntN(d), rand.IntN(10*d)
		late := 1 + rand.IntN(d)*rand.IntN(2)
		s := setting{d: d * time.Millisecond}
		for idle, next := false, d; !idle; {
			if rand.IntN(changes) == 0 {
				up = !up
			}
			write := k.now < writesEnd && rand.IntN(writes) == 0
			k.step(up, write && onlyHere, write && !onlyHere)
			require.LessOrEqual(t, k.now-max(k.fresh, k.acked), 2*d+jiffies+3*late, "should be idle")
			if k.now == next {
				idle, next = k.look(&s)
				next += rand.IntN(late)
			}
		}
		require.GreaterOrEqual(t, k.now-k.fresh, d)
		if k.now-k.sent < d {
			resending++
		}
	}
	require.Greater(t, resending, runs/50, "the kernel was sending again when the peer was found to have vanished")
}
