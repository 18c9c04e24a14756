package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// results are the figures of BenchmarkTicks, by tick.
type results map[series][]point

type series struct{ pending, timer, unit string }

// point is the median of all rounds.
type point struct {
	tick  time.Duration
	value float64
}

func read(paths []string) (results, error) {
	rounds := map[series]map[time.Duration][]float64{}
	files := benchfmt.Files{Paths: paths}
	for files.Scan() {
		r, ok := files.Result().(*benchfmt.Result)
		if !ok || string(r.Name.Base()) != "Ticks" {
			continue
		}
		labels := map[string]string{}
		_, parts := r.Name.Parts()
		for _, part := range parts {
			key, value, _ := strings.Cut(strings.TrimPrefix(string(part), "/"), "=")
			labels[key] = value
		}
		tick, err := time.ParseDuration(labels["tick"])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		for _, v := range r.Values {
			s := series{labels["pending"], labels["timer"], v.Unit}
			if rounds[s] == nil {
				rounds[s] = map[time.Duration][]float64{}
			}
			rounds[s][tick] = append(rounds[s][tick], v.Value)
		}
	}
	found := results{}
	for s, ticks := range rounds {
		for tick, values := range ticks {
			sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
			found[s] = append(found[s], point{tick, benchmath.AssumeNothing.Summary(sample, 0.95).Center})
		}
		slices.SortFunc(found[s], func(a, b point) int { return int(a.tick - b.tick) })
	}
	return found, files.Err()
}
