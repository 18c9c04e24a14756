package bench

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestStallCountsOnceHoweverManyBeatsItDelays(t *testing.T) {
	for _, c := range []struct {
		late []float64
		want int
	}{
		{[]float64{1, 60, 55, 1}, 0},
		{[]float64{61, 56}, 1},
		{[]float64{80, 75, 70, 65, 1, 70, 65}, 2},
		{[]float64{80, 75, 70, 200, 195}, 2},
	} {
		if n := stalls(c.late); n != c.want {
			t.Errorf("%v: %d stalls, want %d", c.late, n, c.want)
		}
	}
}

// BenchmarkProcessors has no load. It reports GOMAXPROCS, which must be the number in its name.
func BenchmarkProcessors(b *testing.B) {
	each(b, "", isOneOfTwo, func(b *testing.B, _ Kind) {
		b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "processors")
		once(b)
	})
}

func TestBenchmarkRunsOnTheProcessorsOfItsName(t *testing.T) {
	out, err := exec.Command(os.Args[0], "-test.bench=Processors", "-test.benchtime=1x", "-test.cpu=3,1,2").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines, n := benchfmt.NewReader(strings.NewReader(string(out)), "output"), 0
	for ; lines.Scan(); n++ {
		r, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(lines.Result())
		}
		if got, _ := r.Value("processors"); got != []float64{3, 1, 2}[n%3] {
			t.Errorf("%s ran on %v processors", r.Name, got)
		}
	}
	if n != 6 {
		t.Errorf("%d results", n)
	}
}
