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

// formatOf returns what a request asks for: by its query, else by what it accepts.
func formatOf(r *http.Request) string {
	if format := r.URL.Query().Get("format"); format != "" {
		return format
	}
	json, html := 0.0, 0.0
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		switch kind, quality := accepted(part); kind {
		case "application/json":
			json = quality
		case "text/html":
			html = quality
		}
	}
	if json > html {
		return asJSON
	}
	return asHTML // who accepts all gets the page
}

// accepted parses one part of an Accept header. What cannot be parsed is no type.
func accepted(part string) (kind string, quality float64) {
	kind, parameters, err := mime.ParseMediaType(part)
	if err != nil {
		return "", 0
	}
	q, ok := parameters["q"]
	if !ok {
		return kind, 1
	}
	quality, err = strconv.ParseFloat(q, 64)
	if err != nil {
		return "", 0
	}
	return kind, quality
}
