package inspect

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// Handler returns a handler that shows the pending timeouts of timers, each timer under its name in
// the map: as a page, or with ?format=json or Accept: application/json as a report. It answers GET
// and HEAD only, at any path, and any number of requests at a time.
//
// Handler copies the map, and panics if a timer is nil.
func Handler(timers map[string]*hashedwheel.Timer) http.Handler {
	h := &handler{page: newPage()}
	for _, name := range slices.Sorted(maps.Keys(timers)) {
		tm := timers[name]
		if tm == nil {
			panic("inspect: Handler with a nil Timer named " + name)
		}
		h.timers = append(h.timers, named{name, tm})
	}
	h.looks.begin(h.report())
	return h
}

type handler struct {
	timers []named // sorted by name
	page   *page
	looks  looks
}

type named struct {
	name  string
	timer *hashedwheel.Timer
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", h.page.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "inspect: GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	header.Set("Vary", "Accept")
	switch format := formatOf(r); {
	case format == asJSON:
		header.Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(h.report()) // an error means that the client has gone
		}
	case format == asHTML:
		header.Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodGet {
			now := h.report()
			_ = h.page.write(w, now, h.looks.last(now)) // as above
		}
	default:
		http.Error(w, "inspect: unknown format: there are html and json", http.StatusBadRequest)
	}
}

func (h *handler) report() report {
	r := report{Time: time.Now(), Timers: make([]timerReport, len(h.timers))}
	for i, t := range h.timers {
		r.Timers[i] = newTimerReport(t.name, t.timer)
	}
	return r
}
