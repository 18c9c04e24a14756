package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hashedwheel/hashedwheel"
)

// Handler returns a handler that shows the pending timeouts of timers, each timer under its name in the map, as a page
// or a report. It answers GET and HEAD only, at any path. Of concurrent requests it reads the timers for one after
// another.
//
// Handler copies the map, and panics if a timer is nil.
func Handler(timers map[string]*hashedwheel.Timer) http.Handler {
	h := &handler{page: newPage(), reading: make(chan struct{}, 1)}
	for _, name := range slices.Sorted(maps.Keys(timers)) {
		tm := timers[name]
		if tm == nil {
			panic("inspect: Handler with a nil Timer named " + name)
		}
		h.timers = append(h.timers, named{readable(name), tm})
	}
	h.looks.begin(newLook(h.timers))
	return h
}

type handler struct {
	timers  []named // sorted by name
	page    *page
	looks   looks
	reading chan struct{} // full while a request reads the timers: the work of two would delay timeouts
}

type named struct {
	name  string
	timer *hashedwheel.Timer
}

// String keeps fmt from reading fields that concurrent calls write.
func (h *handler) String() string { return fmt.Sprintf("inspect.Handler(%d timers)", len(h.timers)) }

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
	format := formatOf(r)
	switch format {
	case "json":
		header.Set("Content-Type", "application/json")
	case "html":
		header.Set("Content-Type", "text/html; charset=utf-8")
	default:
		http.Error(w, "inspect: unknown format: there are html and json", http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	now, ok := h.look(r.Context())
	switch {
	case !ok: // the client is gone, as after an error below
	case format == "json":
		_ = json.NewEncoder(w).Encode(now.report)
	default:
		_ = h.page.write(w, now, h.looks.last(now))
	}
}

// look reads the timers, unless ctx ends before its turn.
func (h *handler) look(ctx context.Context) (now look, ok bool) {
	select {
	case <-ctx.Done():
		return now, false
	case h.reading <- struct{}{}:
	}
	defer func() { <-h.reading }() // TaskName may panic
	return newLook(h.timers), true
}

// formatOf returns the format that a request accepts.
func formatOf(r *http.Request) string {
	if format := r.URL.Query().Get("format"); format != "" {
		return format
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if q := quality(accept, "application/json"); q > 0 && q >= quality(accept, "text/html") {
		return "json"
	}
	return "html"
}

// quality returns the q of a media type in an Accept header, or 0 if the type is not in the header.
func quality(accept, mediaType string) float64 {
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := mime.ParseMediaType(part) // no parameters if they are malformed
		if name != mediaType {
			continue
		}
		if n, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			return n
		}
		return 1
	}
	return 0
}
