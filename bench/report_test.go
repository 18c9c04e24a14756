package bench

import (
	"cmp"
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

// sixteenFile is of a machine of sixteen processors.
const sixteenFile = "results/sixteen.txt"

// A figure is one unit of the results that match a filter, of resultsFile unless it names another.
type figure struct{ filter, unit, file string }

type row struct {
	what string
	figure
}

// The rows of README.md.
var readmeRows = []row{
	{"100,000 idle timeouts that move, and calls: CPU of the timers, of one core",
		figure{filter: ".name:Ticks /pending:100k (/timer:std OR /tick:1ms)", unit: "timers-cpu-%"}},
	{"Memory of a pending timeout, its function not counted", figure{filter: ".name:Memory", unit: "B/timeout"}},
	{"A million calls a second, each stopped after 5 ms: CPU, of one core",
		figure{filter: ".name:Steady /rate:1M", unit: "cpu-%"}},
	{"A million armed and fired, CPU time each", figure{filter: ".name:Fire", unit: "cpu-sec/timeout"}},
	{"A server at its limit, next to three other timers: late, 99th percentile",
		figure{filter: ".name:Saturated /beside:3timers /tick:1ms", unit: "late-p99-ms"}},
	{"Otherwise late, median, half a millisecond of which is the system's",
		figure{filter: ".name:Late /next-to:nothing", unit: "late-p50-ms"}},
	{"Sixteen cores: calls of 5 ms, `Reset` of a `Timeout` that is kept",
		figure{".name:Calls /timeouts:reused /gomaxprocs:16 build:0.4.0", "calls/s", sixteenFile}},
	{"Sixteen cores: calls of 5 ms, `AfterFunc` for each",
		figure{".name:Calls /timeouts:new /gomaxprocs:16 build:0.4.0", "calls/s", sixteenFile}},
	{"Move a random one of a million to later; CPU time", figure{filter: ".name:MoveLater", unit: "cpu-sec/op"}},
	{"Move a timeout to earlier, CPU time", figure{filter: ".name:MoveEarlier", unit: "cpu-sec/move"}},
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

// The columns and rows of README.md in this folder.
var (
	others     = []string{"std", "hashedwheel", "timingwheel", "go-zero", "netty"}
	othersRows = []row{
		{"Arm a new timeout and stop it, a million pending", figure{filter: ".name:Arm /pending:1M", unit: "sec/op"}},
		{"Move a random one of a million timeouts to later", figure{filter: ".name:MoveLater", unit: "sec/op"}},
		{"A million armed and fired, CPU time each", figure{filter: ".name:Fire", unit: "cpu-sec/timeout"}},
		{"Arm a timeout while a million others become due, 99th percentile",
			figure{filter: ".name:Due", unit: "arming-p99-sec"}},
		{"Memory of a pending timeout, its function not counted", figure{filter: ".name:Memory", unit: "B/timeout"}},
		{"How late a timeout runs at a tick of 1 ms, median",
			figure{filter: ".name:Late /next-to:nothing", unit: "late-p50-ms"}},
		{"Move a timeout to earlier, CPU time", figure{filter: ".name:MoveEarlier", unit: "cpu-sec/move"}},
		{"Calls of 5 ms, as many as two cores make, timeouts armed again",
			figure{filter: ".name:Calls /timeouts:reused", unit: "calls/s"}},
	}
)

func TestBenchShowsTheResultsOfOtherTimers(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "| | %s |\n|---|%s\n", strings.Join(others, " | "), strings.Repeat("---:|", len(others)))
	for _, row := range othersRows {
		values := row.byTimer(t)
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
		{filter: ".name:Arm /pending:0", unit: "sec/op"}, {filter: ".name:Arm /pending:1M", unit: "sec/op"},
		{filter: ".name:Idle /pending:0", unit: "cpu-%"}, {filter: ".name:Idle /pending:1M", unit: "cpu-%"},
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
	files := benchfmt.Files{Paths: []string{cmp.Or(f.file, resultsFile)}}
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
	case strings.HasSuffix(f.unit, "cpu-%"):
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

// ratio says so if the difference may be noise. Two rounds say nothing of that.
func ratio(std, wheel *benchmath.Sample) string {
	if std == nil || wheel == nil {
		return "not measured"
	}
	text := "below 0.01"
	if r := center(wheel) / center(std); r >= 0.01 {
		text = fmt.Sprintf("%.2f", r)
	}
	if c := benchmath.AssumeNothing.Compare(std, wheel); c.P > c.Alpha && len(std.Values) > 3 {
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
