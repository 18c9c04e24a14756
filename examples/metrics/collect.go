package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A collector reads the page at an interval, and keeps the latest Stats.
type collector struct {
	url    string
	out    io.Writer
	start  time.Time
	client http.Client
	timer  *hashedwheel.Timer // a second one: a timer should not watch itself

	// For look; the report reads them after the last look.
	looks     int
	last      hashedwheel.Stats
	decreased []string      // counters that decreased
	overdue   time.Duration // greatest so far
	err       error         // why a look failed
}

func newCollector(url string, out io.Writer) *collector {
	return &collector{
		url: url, out: out, start: time.Now(),
		client: http.Client{Transport: &http.Transport{}, Timeout: grace},
		timer:  hashedwheel.MustNew(),
	}
}

// every reads the page at an interval. While a read takes longer, the next is left out.
func (c *collector) every(interval time.Duration) {
	c.timer.Every(interval, func(*hashedwheel.Series) { c.look() })
}

// finish ends the series, then reads on until done returns true.
func (c *collector) finish(ctx context.Context, done func(*hashedwheel.Stats) bool) error {
	defer c.client.CloseIdleConnections()
	if _, err := c.timer.Shutdown(ctx); err != nil { // waits for the current look
		return err
	}
	for c.err == nil && ctx.Err() == nil {
		c.look()
		if done(&c.last) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return c.err
}

// look reads the page once, and prints a line.
func (c *collector) look() {
	s, err := c.read()
	if err != nil {
		c.err = err
		return
	}
	c.compare(s)
	c.overdue = max(c.overdue, s.Overdue)
	c.looks++
	fmt.Fprintf(c.out, "%6.2fs %5d pending %6d expired %7d canceled %6d rejected %5d panics   lag %v, overdue %v\n",
		time.Since(c.start).Seconds(), s.Pending, s.Expired, s.Canceled, s.Rejected, s.Panics,
		s.Lag.Round(10*time.Microsecond), s.Overdue.Round(10*time.Microsecond))
}

func (c *collector) read() (s hashedwheel.Stats, err error) {
	resp, err := c.client.Get(c.url + "/debug/vars")
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	var vars struct {
		Stats *hashedwheel.Stats `json:"hashedwheel"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&vars); err != nil {
		return s, err
	}
	if vars.Stats == nil {
		return s, fmt.Errorf("%s: no variable of that name", resp.Request.URL)
	}
	return *vars.Stats, nil
}

// compare notes the counters that have decreased since the last look.
func (c *collector) compare(s hashedwheel.Stats) {
	note := func(name string, before, after uint64) {
		if after < before {
			c.decreased = append(c.decreased, fmt.Sprintf("%s from %d to %d", name, before, after))
		}
	}
	note("Expired", c.last.Expired, s.Expired)
	note("Canceled", c.last.Canceled, s.Canceled)
	note("Rejected", c.last.Rejected, s.Rejected)
	note("Panics", c.last.Panics, s.Panics)
	note("Wakeups", c.last.Wakeups, s.Wakeups)
	note("MaxLag", uint64(c.last.MaxLag), uint64(s.MaxLag))
	c.last = s
}
