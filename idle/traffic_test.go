package idle

import (
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
		"sent again, never acknowledged": {traffic: again(200, 30, 4000), suspect: true}, // it began an hour ago
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
