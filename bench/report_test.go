package bench

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

// resultsFile is what the documents cite: the output of ./run all.
const resultsFile = "results/all.txt"

var update = flag.Bool("update", false, "write the tables of the documents again, from "+resultsFile)

// A figure is one unit of the results that match a filter.
type figure struct{ filter, unit string }

// The rows of README.md.
var readmeRows = []struct {
	what string
	figure
}{
	{"Arm a new timeout and stop it, a million pending", figure{".name:Arm /pending:1M", "sec/op"}},
	{"Move a random one of a million timeouts to later", figure{".name:MoveLater", "sec/op"}},
	{"A million armed and fired, CPU time each", figure{".name:Fire", "cpu-sec/timeout"}},
	{"Arm a timeout while a million others become due, 99th percentile", figure{".name:Due", "arming-p99-sec"}},
	{"A garbage collection with a million pending", figure{".name:Collector /handles:dropped /due:minute", "sec/op"}},
	{"Memory of a pending timeout, its function not counted", figure{".name:Memory", "B/timeout"}},
	{"How late a timeout runs at a tick of 1 ms, median", figure{".name:Late /next-to:nothing", "late-p50-ms"}},
	{"The last of ten timeouts due at once, on a saturated server: late, median",
		figure{".name:SaturatedBurst -/beside:timer /tick:10ms", "last-p50-ms"}},
	{"Move a timeout to earlier, CPU time", figure{".name:MoveEarlier", "cpu-sec/move"}},
	{"Calls as fast as two processors make them, each arming an old timeout again",
		figure{".name:Calls /timeouts:reused", "calls/s"}},
}

func TestReadmeShowsTheResults(t *testing.T) {
	var table strings.Builder
	table.WriteString("| | package time | hashedwheel | ratio |\n|---|---:|---:|---:|\n")
	for _, row := range readmeRows {
		values := row.byTimer(t)
		std, wheel := values["std"], values["hashedwheel"]
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", row.what, row.text(std), row.text(wheel), ratio(std, wheel))
	}
	showsTable(t, "../README.md", table.String())
}

// The columns of README.md in this folder, whose rows are those of the library's README.md.
var others = []string{"std", "hashedwheel", "timingwheel", "go-zero", "netty"}

func TestBenchShowsTheResultsOfOtherTimers(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "| | %s |\n|---|%s\n", strings.Join(others, " | "), strings.Repeat("---:|", len(others)))
	for _, row := range readmeRows {
		values := row.byTimer(t)
		if values["go-zero"] == nil {
			continue // only package time is compared
		}
		fmt.Fprintf(&table, "| %s |", row.what)
		for _, timer := range others {
			cell := "–"
			if v := values[timer]; v != nil {
				cell = row.text(v)
			}
			fmt.Fprintf(&table, " %s |", cell)
		}
		table.WriteString("\n")
	}
	showsTable(t, "README.md", table.String())
}

// The rows and columns of docs/timing-wheels.md.
var (
	designs = []struct{ timer, what string }{
		{"list", "unordered list"},
		{"heap", "binary heap, one lock"},
		{"std", "package time: a heap of four children for each P"},
		{"rounds", "hashed wheel with rounds, 512 slots"},
		{"hierarchy", "hierarchy, 256 slots and four times 64"},
		{"timingwheel", "RussellLuo/timingwheel, after Kafka's"},
		{"hashedwheel", "this library"},
	}
	columns = []figure{
		{".name:Arm /pending:0", "sec/op"}, {".name:Arm /pending:1M", "sec/op"},
		{".name:Idle /pending:0", "cpu-%"}, {".name:Idle /pending:1M", "cpu-%"},
	}
)

func TestTimingWheelsShowsTheResults(t *testing.T) {
	var table strings.Builder
	table.WriteString("| design | arm and stop, 0 pending | 1M pending " +
		"| a core, nothing pending | a core, 1M far away |\n")
	table.WriteString("|---|---:|---:|---:|---:|\n")
	for _, d := range designs {
		fmt.Fprintf(&table, "| %s |", d.what)
		for _, c := range columns {
			fmt.Fprintf(&table, " %s |", c.text(c.byTimer(t)[d.timer]))
		}
		table.WriteString("\n")
	}
	showsTable(t, "../docs/timing-wheels.md", table.String())
}

// byTimer returns the values of all rounds.
func (f figure) byTimer(t *testing.T) map[string]*benchmath.Sample {
	t.Helper()
	filter, err := benchproc.NewFilter(f.filter)
	if err != nil {
		t.Fatal(err)
	}
	timer, err := new(benchproc.ProjectionParser).Parse("/timer", filter)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]float64{}
	files := benchfmt.Files{Paths: []string{resultsFile}}
	for files.Scan() {
		r, ok := files.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		matches, err := filter.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := r.Value(f.unit); ok && matches {
			name := timer.Project(r).Get(timer.Fields()[0])
			values[name] = append(values[name], v)
		}
	}
	if err := files.Err(); err != nil {
		t.Fatal(err)
	}
	samples := map[string]*benchmath.Sample{}
	for name, v := range values {
		samples[name] = benchmath.NewSample(v, &benchmath.DefaultThresholds)
	}
	return samples
}

// text returns the median: 140.0 ns.
func (f figure) text(s *benchmath.Sample) string {
	if s == nil {
		return "not measured"
	}
	value, class, unit := center(s), benchunit.ClassOf(f.unit), "s"
	switch {
	case f.unit == "cpu-%":
		return fmt.Sprintf("%.3g%%", value)
	case class == benchunit.Binary:
		unit = "B"
	case strings.HasSuffix(f.unit, "-ms"):
		value /= 1e3
	case strings.HasSuffix(f.unit, "/s"):
		return fmt.Sprintf("%.3g million/s", value/1e6)
	}
	scaled := benchunit.Scale(value, class)
	number := strings.TrimRight(scaled, "nµmkMGKi")
	return number + " " + scaled[len(number):] + unit
}

func center(s *benchmath.Sample) float64 { return benchmath.AssumeNothing.Summary(s, 0.95).Center }

// ratio says so if the difference may be noise.
func ratio(std, wheel *benchmath.Sample) string {
	if std == nil || wheel == nil {
		return "not measured"
	}
	text := "below 0.01"
	if r := center(wheel) / center(std); r >= 0.01 {
		text = fmt.Sprintf("%.2f", r)
	}
	if c := benchmath.AssumeNothing.Compare(std, wheel); c.P > c.Alpha {
		text += ", perhaps noise"
	}
	return text
}

// The tables stand between these lines.
const (
	tableBegins = "<!-- table of bench/results/all.txt, by: cd bench && go test -run Results . -update -->\n\n"
	tableEnds   = "\n<!-- end of the table -->"
)

// showsTable fails t unless the document has the table.
func showsTable(t *testing.T, document, table string) {
	t.Helper()
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(content), tableBegins)
	old, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no table between %q and %q", document, tableBegins, tableEnds)
	}
	if strings.Contains(table, "not measured") {
		t.Errorf("%s lacks results:\n%s", resultsFile, table)
	}
	if *update {
		if err := os.WriteFile(document, []byte(before+tableBegins+table+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table {
		t.Errorf("the table of %s should be as below; -update writes it\n%s", document, table)
	}
}
