package inspect

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	asHTML = "html"
	asJSON = "json"
)

// formatOf returns the format that a request wants: by its query, otherwise by its Accept header.
func formatOf(r *http.Request) string {
	if format := r.URL.Query().Get("format"); format != "" {
		return format
	}
	var html, json preference
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		pattern, quality, ok := accepted(part)
		if !ok {
			continue
		}
		html.meet("text", "html", pattern, quality)
		json.meet("application", "json", pattern, quality)
	}
	switch {
	case json.quality > html.quality:
		return asJSON
	case json.quality > 0 && json.quality == html.quality && json.rank > html.rank:
		return asJSON
	}
	return asHTML // also for a request that accepts everything, or neither
}

// preference is how much a request wants a type: the quality of the pattern that fits it best.
type preference struct {
	rank    int // 3: the type itself, 2: its kind with any subtype, 1: any type, 0: no pattern fits
	quality float64
}

func (p *preference) meet(kind, subtype, pattern string, quality float64) {
	rank := 0
	switch pattern {
	case kind + "/" + subtype:
		rank = 3
	case kind + "/*":
		rank = 2
	case "*/*":
		rank = 1
	}
	switch {
	case rank > p.rank:
		p.rank, p.quality = rank, quality
	case rank > 0 && rank == p.rank:
		p.quality = max(p.quality, quality)
	}
}

// accepted parses one part of an Accept header.
func accepted(part string) (pattern string, quality float64, ok bool) {
	pattern, parameters, err := mime.ParseMediaType(part)
	if err != nil {
		return "", 0, false
	}
	q, given := parameters["q"]
	if !given {
		return pattern, 1, true
	}
	quality, err = strconv.ParseFloat(q, 64)
	return pattern, quality, err == nil && quality >= 0 && quality <= 1
}
