// Report rewrites the tables and the chart of the documents from the results. Run it in the folder bench:
//
//	go run ./cmd/report && git diff --exit-code
package main

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

// A figure is the median, for each timer, of all results that match a filter.
type figure struct {
	text, filter, unit string
	file               string // empty: all.txt, what it has of 0.5.0
}

const (
	std   = "std"
	wheel = "hashedwheel"
)

func main() {
	rows := [][]string{{"", "the time package", "hashedwheel", "ratio"}}
	for _, f := range readme {
		rows = append(rows, f.beside())
	}
	write("../README.md", rows)

	others := []string{std, wheel, "timingwheel", "go-zero", "netty"}
	rows = [][]string{append([]string{""}, others...)}
	for _, f := range otherTimers {
		rows = append(rows, append([]string{f.text}, f.of(others...)...))
	}
	write("README.md", rows)

	rows = [][]string{{"design", idling[0].text, idling[1].text, idling[2].text, idling[3].text}}
	for _, d := range designs {
		row := []string{d.text}
		for _, f := range idling {
			row = append(row, f.of(d.timer)...)
		}
		rows = append(rows, row)
	}
	write("../docs/timing-wheels.md", rows)

	for _, t := range themes {
		t.chart()
	}
}

// beside returns a row of README.md. The better value is bold, unless the difference may be noise.
func (f figure) beside() []string {
	before, after := f.sample(std), f.sample(wheel)
	values := f.of(std, wheel)
	ratio := center(after) / center(before)
	c := benchmath.AssumeNothing.Compare(before, after)
	if c.P > c.Alpha && len(before.Values) > 3 { // two rounds do not show noise
		return append([]string{f.text}, append(values, "even")...)
	}
	better := 0
	if moreIsBetter := strings.HasSuffix(f.unit, "/s"); moreIsBetter == (ratio > 1) {
		better = 1
	}
	values[better] = "**" + values[better] + "**"
	text := "below 0.01"
	if ratio >= 0.01 {
		text = fmt.Sprintf("%.2f", ratio)
	}
	return append([]string{f.text}, append(values, text)...)
}

// of returns a value for each timer, such as 140.0 ns.
func (f figure) of(timers ...string) (values []string) {
	for _, timer := range timers {
		text := "–"
		if s := f.sample(timer); s != nil {
			text = f.format(center(s))
		}
		values = append(values, text)
	}
	return values
}

func (f figure) format(value float64) string {
	class, unit := benchunit.ClassOf(f.unit), "s"
	switch {
	case strings.HasSuffix(f.unit, "cpu-%"):
		return fmt.Sprintf("%.3g%%", value)
	case f.unit == "runs/s":
		return fmt.Sprintf("%.3g/s", value)
	case strings.HasSuffix(f.unit, "/s"):
		return fmt.Sprintf("%.3g million/s", value/1e6)
	case class == benchunit.Binary:
		unit = "B"
	case strings.HasSuffix(f.unit, "-ms"):
		value /= 1e3
	}
	scaled := benchunit.Scale(value, class)
	number := strings.TrimRight(scaled, "nµmkMGKi")
	return number + " " + scaled[len(number):] + unit
}

// sample returns the values of all rounds, nil if there are none.
func (f figure) sample(timer string) *benchmath.Sample {
	query := "/timer:" + timer + " " + f.filter
	if f.file == "" {
		query += " build:0.5.0"
	}
	filter, err := benchproc.NewFilter(query)
	check(err)
	var values []float64
	files := benchfmt.Files{Paths: []string{"results/" + cmp.Or(f.file, "all.txt")}}
	for files.Scan() {
		if r, ok := files.Result().(*benchfmt.Result); ok {
			matches, err := filter.Apply(r)
			check(err)
			if v, ok := r.Value(f.unit); ok && matches {
				values = append(values, v)
			}
		}
	}
	check(files.Err())
	if values == nil {
		return nil
	}
	return benchmath.NewSample(values, &benchmath.DefaultThresholds)
}

func center(s *benchmath.Sample) float64 { return benchmath.AssumeNothing.Summary(s, 0.95).Center }

// measured returns the first line of all.txt, which says what was measured, where and when. The results of an
// unrecorded state of the code, or of a benchmark that failed, do not go into a document.
func measured() string {
	text, err := os.ReadFile("results/all.txt")
	check(err)
	first, _, _ := strings.Cut(string(text), "\n")
	for _, flaw := range []string{"FAIL", "-dirty"} {
		if strings.Contains(string(text), flaw) {
			log.Fatalf("results/all.txt contains %q", flaw)
		}
	}
	return strings.TrimPrefix(first, "# ")
}

// The table of a document stands between these lines.
const (
	begins = "<!-- by: cd bench && go run ./cmd/report -->\n\n"
	ends   = "\n<!-- end of the table -->"
)

func write(document string, rows [][]string) {
	rows = slices.Insert(rows, 1, append([]string{"---"}, slices.Repeat([]string{"---:"}, len(rows[0])-1)...))
	table := ""
	for _, row := range rows {
		table += strings.ReplaceAll("| "+strings.Join(row, " | ")+" |\n", "|  |", "| |")
	}
	table += "\n" + measured() + "\n"
	text, err := os.ReadFile(document)
	check(err)
	before, rest, hasBegin := strings.Cut(string(text), begins)
	_, after, hasEnd := strings.Cut(rest, ends)
	if !hasBegin || !hasEnd {
		log.Fatalf("%s has no table between %q and %q", document, begins, ends)
	}
	check(os.WriteFile(document, []byte(before+begins+table+ends+after), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
