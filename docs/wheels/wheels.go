// Package wheels holds the designs of docs/timing-wheels.md as small reference
// implementations, and draws them: one example, played by each of them and by this
// library's own wheel. Four are timers that bench compares with others. All of these
// sit behind one lock, run tasks on their one goroutine, and are never early.
//
// The drawings are next to the code. If they differ from the code,
//
//	go test ./docs/wheels -update
//
// writes them, and prints the tables of the document. The result of the library's
// own wheel is in hashedwheel.json, which a test of the library writes.
package wheels

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// A Drawing is a file of docs/wheels, and its contents.
type Drawing struct {
	File  string
	Title string
	Play  Play
}

// titles are in the order of the document.
var titles = []struct{ name, title string }{
	{"list", "an unordered list"},
	{"ordered-list", "an ordered list"},
	{"heap", "a binary heap"},
	{"one-turn", "a wheel of one turn, 1024 slots"},
	{"rounds", "a hashed wheel of 8 slots that counts rounds (r)"},
	{"sorted-rounds", "a hashed wheel of 8 slots, each an ordered list"},
	{"hierarchy", "a hierarchy of wheels, fixed levels"},
	{"lazy-levels", "a hierarchy with levels made when needed, and a heap of slots"},
	{"without-moves", "a hierarchy that moves nothing"},
	{ours, "this library: 8 buckets, and rings of 64 slots"},
}

const ours = "hashedwheel"

// Drawings plays the example in every design. The result of this library's wheel is
// in a file that a test of the library compares.
func Drawings() ([]Drawing, error) {
	text, err := os.ReadFile(ours + ".json")
	if err != nil {
		return nil, err
	}
	var own Play
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, err
	}
	plays := maps.Clone(Designs())
	plays[ours] = func() Play { return own }
	var all []Drawing
	for _, t := range titles {
		all = append(all, Drawing{t.name + ".svg", t.title, plays[t.name]()})
	}
	return all, nil
}

// Table is the document's table of each design's visits and wakes.
func Table(all []Drawing) string {
	var b strings.Builder
	b.WriteString("| design | visits | wakes | late by, in ticks |\n|---|---:|---:|---|\n")
	for _, d := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", d.Title, d.Play.Visits, d.Play.Wakes, lateness(d.Play.Fired))
	}
	return b.String()
}

func lateness(fired []Firing) string {
	var late []string
	for _, f := range fired {
		if f.At != f.Due {
			late = append(late, fmt.Sprintf("%d by %d", f.Due, f.At-f.Due))
		}
	}
	if late == nil {
		return "none"
	}
	return strings.Join(slices.Compact(late), ", ")
}
