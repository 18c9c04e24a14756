// Report rewrites the tables and the charts of the documents from the results. Run it in the folder bench:
//
//	go run ./cmd/report && git diff --exit-code
package main

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"regexp"
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
	file               string // empty: all.txt, what it has of this version
}

const (
	std     = "std"
	wheel   = "hashedwheel"
	version = "0.6.0"
)

func main() {
	first, lost := compare(readme, "all.txt")
	rest, lostInRest := compare(others, "all.txt")
	old, _ := compare(sixteen, "sixteen.txt")
	all := len(readme) + len(others)
	write("../README.md", fmt.Sprintf("These are %d of %d measured rows; [measured.md](docs/measured.md) has the "+
		"other %d, and a chart of CPU time. hashedwheel loses in %d of the %d.\n\n",
		len(readme), all, len(others), lost+lostInRest, all)+first)
	write("../docs/measured.md", rest+"\n## Sixteen processors, with 0.4.0\n\n"+old)

	timers := []string{std, wheel, "timingwheel", "go-zero", "netty"}
	rows := [][]string{append([]string{""}, timers...)}
	for _, f := range otherTimers {
		rows = append(rows, append([]string{f.text}, f.of(timers...)...))
	}
	write("README.md", table(rows, "all.txt"))

	for _, t := range themes {
		t.charts()
	}
}

// compare returns a table with the results of a file, how to get them again, and the number of rows that this library
// loses.
func compare(figures []figure, file string) (text string, lost int) {
	rows := [][]string{{"", "the time package", "hashedwheel", "ratio"}}
	var names []string
	for _, f := range figures {
		row, isLost := f.beside()
		if rows = append(rows, row); isLost {
			lost++
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(f.filter, ".name:"), " ")
		names = append(names, name)
	}
	slices.Sort(names)
	text = strings.TrimSuffix(table(rows, file), "\n")
	text = regexp.MustCompile(` \(other timers: [^)]*\)`).ReplaceAllString(text, "") // they are not in this table
	again := strings.Join(slices.Compact(names), "|")
	return fmt.Sprintf("%s To measure again: `cd bench && ./run mine -bench '^Benchmark(%s)$' -timers "+
		"'^(std|hashedwheel)$'`.\n", text, again), lost
}

// beside returns a row, and whether this library loses in it. The better value is bold, unless the difference may be
// noise.
func (f figure) beside() (row []string, isLost bool) {
	before, after := f.sample(std), f.sample(wheel)
	row = append([]string{f.text}, f.of(std, wheel)...)
	if before == nil || after == nil {
		return append(row, "–"), false // a new benchmark
	}
	ratio := center(after) / center(before)
	c := benchmath.AssumeNothing.Compare(before, after)
	isEven := c.P > c.Alpha
	if min(len(before.Values), len(after.Values)) < 4 { // too few rounds to show noise
		isEven = ratio > 0.8 && ratio < 1.25
	}
	if isEven {
		return append(row, "even"), false
	}
	moreIsBetter := strings.HasSuffix(f.unit, "/s")
	better := 2
	if isLost = moreIsBetter != (center(after) > center(before)); isLost {
		better = 1
	}
	row[better] = "**" + row[better] + "**"
	switch {
	case ratio < 0: // the timers of one took no time that shows
		return append(row, "–"), isLost
	case ratio < 0.01:
		return append(row, "below 0.01"), isLost
	}
	return append(row, fmt.Sprintf("%.2f", ratio)), isLost
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
		query += " build:" + version
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

// measured returns the first line of a file of results, which says what was measured, where and when. The results of an
// unrecorded state of the code, or of a benchmark that failed, do not go into a document.
func measured(file string) string {
	text, err := os.ReadFile("results/" + file)
	check(err)
	first, _, _ := strings.Cut(string(text), "\n")
	for _, flaw := range []string{"FAIL", "-dirty"} {
		if strings.Contains(string(text), flaw) {
			log.Fatalf("results/%s contains %q", file, flaw)
		}
	}
	return strings.TrimPrefix(first, "# ")
}

// table returns a table in Markdown, and when its file of results was measured.
func table(rows [][]string, file string) (text string) {
	rows = slices.Insert(rows, 1, append([]string{"---"}, slices.Repeat([]string{"---:"}, len(rows[0])-1)...))
	for _, row := range rows {
		text += strings.ReplaceAll("| "+strings.Join(row, " | ")+" |\n", "|  |", "| |")
	}
	return text + "\n" + measured(file) + "\n"
}

// What is generated stands between these lines of a document.
const (
	begins = "<!-- by: cd bench && go run ./cmd/report -->\n\n"
	ends   = "\n<!-- end of the table -->"
)

func write(document, generated string) {
	text, err := os.ReadFile(document)
	check(err)
	before, rest, hasBegin := strings.Cut(string(text), begins)
	_, after, hasEnd := strings.Cut(rest, ends)
	if !hasBegin || !hasEnd {
		log.Fatalf("%s has no table between %q and %q", document, begins, ends)
	}
	check(os.WriteFile(document, []byte(before+begins+generated+ends+after), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
