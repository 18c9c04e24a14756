package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A report holds the parts of the page's JSON that the reader uses.
type report struct {
	Timers []timerReport
}

type timerReport struct {
	Name    string
	Sampled int
	Stats   struct{ Pending, Expired, Canceled int }
	Due     []dueRow
	Tasks   []taskRow
}

type dueRow struct {
	From   time.Duration `json:"from_ns"`
	Within time.Duration `json:"within_ns"`
	Count  int
}

type taskRow struct {
	Name  string
	Count int
}

// A reader reads the page at an interval.
type reader struct {
	url    string
	out    io.Writer
	client http.Client

	looks int
	last  report
	err   error // why a look failed
}

func newReader(url string, out io.Writer) *reader {
	return &reader{url: url, out: out, client: http.Client{Transport: &http.Transport{}, Timeout: 4 * time.Second}}
}

// every reads until ctx is done or a look fails.
func (r *reader) every(ctx context.Context, interval time.Duration) {
	defer r.client.CloseIdleConnections()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for r.err == nil {
		select {
		case <-ticker.C:
			r.look()
		case <-ctx.Done():
			return
		}
	}
}

// look reads the report once, and prints a line for each timer.
func (r *reader) look() {
	body, err := r.get("application/json")
	if err != nil {
		r.err = err
		return
	}
	if r.err = json.Unmarshal(body, &r.last); r.err != nil {
		return
	}
	if r.looks++; r.looks > 1 {
		fmt.Fprintln(r.out)
	}
	for _, t := range r.last.Timers {
		fmt.Fprintln(r.out, t)
	}
}

// String returns the counters, the most frequent task and the time at which most timeouts are due.
func (t timerReport) String() string {
	var task taskRow
	if len(t.Tasks) > 0 {
		task = t.Tasks[0] // the most frequent
	}
	var due dueRow
	for _, row := range t.Due {
		if row.Count > due.Count {
			due = row
		}
	}
	about := ""
	if t.Sampled < t.Stats.Pending {
		about = "about "
	}
	return fmt.Sprintf("%-12s %6d pending %5d expired %6d canceled; %s%d are %s, %d due in %s to %s",
		t.Name, t.Stats.Pending, t.Stats.Expired, t.Stats.Canceled, about, task.Count, task.Name, due.Count, brief(due.From), brief(due.Within))
}

// brief writes 1h for 1h0m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// get returns the page in the accepted format.
func (r *reader) get(accept string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, r.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	resp, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", r.url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// verdict returns an error that names a timer or task missing on the page, or nil.
func (r *reader) verdict(s *server) error {
	if r.err != nil {
		return r.err
	}
	if r.looks < 1 || len(r.last.Timers) != 3 {
		return fmt.Errorf("%d looks, %d timers", r.looks, len(r.last.Timers))
	}
	defer r.client.CloseIdleConnections()
	page, err := r.get("text/html")
	if err != nil {
		return err
	}
	for _, t := range r.last.Timers {
		if t.Stats.Pending == 0 || t.Sampled == 0 || len(t.Tasks) == 0 {
			return fmt.Errorf("%s: nothing is pending", t.Name)
		}
		if !strings.Contains(string(page), t.Name) || !strings.Contains(string(page), t.Tasks[0].Name) {
			return fmt.Errorf("%s or its %s is missing on the page", t.Name, t.Tasks[0].Name)
		}
	}
	if n := r.last.Timers[1].Stats.Pending; n < len(s.conns) {
		return fmt.Errorf("%d of %d connections", n, len(s.conns))
	}
	return nil
}
