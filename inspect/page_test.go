package inspect_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func TestRatesAreSinceTheLastLoadByAnyClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
		begin := time.Now()
		h := inspect.Handler(timers{"sessions": tm})
		for _, look := range []struct {
			at, since time.Duration
			expire    int // before it
			want, all string
		}{
			{at: 100 * time.Millisecond, since: 0, expire: 4, want: "–", all: "4"}, // too short for a rate
			{at: 2 * time.Second, since: 0, expire: 6, want: "5.0/s", all: "10"},
			{at: 2500 * time.Millisecond, since: 0, want: "4.0/s", all: "10"}, // less than a second: the same look
			{at: 4 * time.Second, since: 2 * time.Second, expire: 100, want: "50/s", all: "110"},
			{at: 5 * time.Second, since: 4 * time.Second, want: "0/s", all: "110"},
			{at: 15 * time.Second, since: 5 * time.Second, expire: 43_210, want: "4,321/s", all: "43,320"},
			{at: 35 * time.Second, since: 15 * time.Second, expire: 1, want: "&lt;0.1/s", all: "43,321"},
		} {
			for range look.expire {
				tm.AfterFunc(0, func() {})
			}
			time.Sleep(time.Until(begin.Add((look.since + look.at) / 2)))
			_ = readReport(t, h) // a report does not count as a load
			time.Sleep(time.Until(begin.Add(look.at)))
			synctest.Wait()
			got := page(h)
			figure := fmt.Sprintf(`>Expired</dt><dd>%s <small>%s in all</small></dd>`, look.want, look.all)
			assert.True(t, strings.Contains(got, figure), look.at)
			if look.want == "–" {
				assert.NotContains(t, got, "over the last")
				continue
			}
			over := fmt.Sprintf("over the last %v s", (look.at - look.since).Seconds())
			assert.Equal(t, 3, strings.Count(got, over), "%v: for rates, tasks and goroutines", look.at)
		}
	})
}
