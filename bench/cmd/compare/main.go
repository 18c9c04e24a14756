// Compare runs the loads with every peer and writes tables, the rows of all rounds and
// plots. It prints the README's five rows or, for a part of the comparison, its tables.
//
//	go run ./cmd/compare                                 # everything
//	go run ./cmd/compare -short                          # a few minutes, to see that it runs
//	go run ./cmd/compare -load arm,fire -peer 'std,hashedwheel*'
//	go run ./cmd/compare -load storm -case "24 gor.*handicap 600ns" -peer std,hashedwheel -rounds 1
//
// Each case runs in a separate process for each peer and round, with a clean heap, and
// is killed if it hangs. Peers take turns within a case, and a round is all cases, so a
// machine whose speed drifts is fair to all. The figures are medians over the rounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/servers"
)

// options are the command line.
type options struct {
	short  bool
	scale  float64
	rounds int
	loads  string
	cases  string
	peers  string
	out    string
	cpus   string
	again  bool
	readme string
	list   bool
}

func main() {
	servers.Main()
	var o options
	flag.BoolVar(&o.short, "short", false, "one round at a scale of 0.02, to see that everything runs; the figures mean nothing")
	flag.Float64Var(&o.scale, "scale", 1, "`factor` for all sizes and times")
	flag.IntVar(&o.rounds, "rounds", 0, "`rounds` of each case, an odd number (default 3, or 1 with -short)")
	flag.StringVar(&o.loads, "load", "", "comma-separated `names` of loads (default all; -list shows them)")
	flag.StringVar(&o.cases, "case", "", "only the cases that match this `pattern`, as with go test -run")
	flag.StringVar(&o.peers, "peer", "", "comma-separated `names` of peers, like std, 'hashedwheel*' or jvm (default all)")
	flag.StringVar(&o.cpus, "cpu", "", "comma-separated `counts` of processors for the load cores (default 1,2,4 and so on up to 64 or all cores)")
	flag.StringVar(&o.out, "out", "", "`directory` for the results (default results, or results/partial for a part of the comparison)")
	flag.BoolVar(&o.again, "again", false, "measure nothing: write the tables and plots of an earlier run again")
	flag.StringVar(&o.readme, "readme", "", "`file` that gets the table of five rows, between its marks")
	flag.BoolVar(&o.list, "list", false, "list the loads and the peers")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Compare runs loads with package time, this library and other timers, and writes tables\nand plots. The whole takes hours: begin with -short, or with a load and two peers:\n\n"+
			"\tgo run ./cmd/compare -load arm -peer std,hashedwheel -rounds 1\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := start(o); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func start(o options) error {
	if text := os.Getenv(jobVariable); text != "" {
		return runChild(text)
	}
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case o.list:
		list()
		return nil
	}
	c, err := newComparison(o)
	if err != nil {
		return err
	}
	if o.again {
		return c.writeAgain(o)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c.run(ctx)
	if err := c.write(o, c.about()); err != nil {
		return err
	}
	return c.faultOfOurs()
}

func newComparison(o options) (*comparison, error) {
	c := &comparison{config: loads.Config{Scale: o.scale, CPUs: loads.CPUs()}, rounds: 3, limit: caseLimit, hung: map[string]bool{}}
	if o.short {
		c.config.Scale, c.rounds, c.atOnce = 0.02, 1, 6*runtime.NumCPU()
	}
	if o.rounds != 0 {
		c.rounds = o.rounds
	}
	if c.rounds < 1 || c.rounds%2 == 0 || c.rounds < 3 && !o.isPart() {
		return nil, fmt.Errorf("-rounds %d: a median needs an odd number of rounds, and a whole comparison at least three", c.rounds)
	}
	if !(c.config.Scale > 0) {
		return nil, errors.New("-scale must be above 0")
	}
	if o.cpus != "" {
		c.config.CPUs = nil
		for text := range strings.SplitSeq(o.cpus, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-cpu: %q is no number of processors", text)
			}
			c.config.CPUs = append(c.config.CPUs, n)
		}
	}
	var err error
	if c.loads, err = chooseLoads(o.loads); err != nil {
		return nil, err
	}
	if c.cases, err = regexp.Compile(o.cases); err != nil {
		return nil, fmt.Errorf("-case: %w", err)
	}
	if c.contestants, err = c.chooseContestants(o.peers); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.loads, func(l loads.Load) bool { return len(c.chosen(l)) > 0 }) {
		return nil, fmt.Errorf("-case: no case matches %q", o.cases)
	}
	return c, nil
}

func chooseLoads(names string) (chosen []loads.Load, err error) {
	if names == "" {
		return loads.All(), nil
	}
	for name := range strings.SplitSeq(names, ",") {
		l, ok := loads.Find(name)
		if !ok {
			return nil, fmt.Errorf("no load %q; -list names them", name)
		}
		chosen = append(chosen, l)
	}
	return chosen, nil
}

// chooseContestants returns the peers in this program, and the timers of the JVM.
func (c *comparison) chooseContestants(names string) (chosen []contestant, err error) {
	here, onJVM := []string{}, names == ""
	for name := range strings.SplitSeq(names, ",") {
		if name == "jvm" {
			onJVM = true
		} else {
			here = append(here, name)
		}
	}
	if len(here) > 0 {
		found, unknown := peers.Choose(strings.Join(here, ","))
		if unknown != "" {
			return nil, fmt.Errorf("no peer %q; -list names them", unknown)
		}
		for _, p := range found {
			chosen = append(chosen, goPeer{Peer: p})
		}
	}
	if onJVM {
		c.notes = append(c.notes, jvmNote)
		chosen = append(chosen, openJVM()...)
	}
	return chosen, nil
}

func list() {
	fmt.Println("loads:")
	for _, l := range loads.All() {
		fmt.Printf("  %-20s %s\n", l.Name, l.What)
	}
	fmt.Println("peers:")
	for _, p := range peers.All() {
		fmt.Printf("  %-20s %s\n", p.Name, p.What)
	}
	fmt.Printf("  %-20s %s\n", "jvm", "Netty's HashedWheelTimer at ticks of 1, 10 and 100 ms, java.util.Timer, ScheduledThreadPoolExecutor")
}

// faultOfOurs returns the first fault of this library, so that CI fails.
func (c *comparison) faultOfOurs() error {
	for _, r := range c.rows {
		isRemark := r.Mark == "" || strings.HasPrefix(r.Mark, "not supported") || strings.HasPrefix(r.Mark, loads.Bears)
		if strings.HasPrefix(r.Peer, "hashedwheel") && !isRemark {
			return fmt.Errorf("%s, %s: %s: %s", r.Load, r.Case, r.Peer, r.Mark)
		}
	}
	return nil
}

// isPart reports whether the options leave anything out.
func (o options) isPart() bool {
	return o.short || o.scale != 1 || slices.ContainsFunc([]string{o.loads, o.peers, o.cases}, func(s string) bool { return s != "" })
}
