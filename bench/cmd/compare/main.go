// Compare runs the loads against every peer and writes what it has measured: a
// Markdown table, the raw CSV and plots. Progress goes to standard error.
//
// Every case of a load runs in a process of its own, with a clean heap, for each
// peer and round, and is killed if it hangs. Peers take turns within a case,
// round after round, so that a machine whose speed drifts is fair to all. What
// is written are the medians over the rounds, and of the ratios to the standard
// library within each round.
//
//	go run ./cmd/compare                                 # everything
//	go run ./cmd/compare -short                          # under three minutes: does it run?
//	go run ./cmd/compare -load arm,fire -peer 'std,hashedwheel*'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
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
	huge   bool
	rounds int
	loads  string
	peers  string
	out    string
	cpus   string
	again  bool
	readme string
	list   bool
	child  string
}

func main() {
	servers.Main()
	var o options
	flag.BoolVar(&o.short, "short", false, "one round at a tenth of the size: to see that everything runs, not for its figures")
	flag.BoolVar(&o.huge, "huge", false, "arm and stop with 10M others pending, too")
	flag.IntVar(&o.rounds, "rounds", 0, "`rounds` of each case, an odd number (default 3, or 1 with -short)")
	flag.StringVar(&o.loads, "load", "", "comma-separated `names` of the loads to run (default all)")
	flag.StringVar(&o.peers, "peer", "", "comma-separated `names` of the peers to run, as std or 'hashedwheel*' (default all)")
	flag.StringVar(&o.out, "out", "", "`directory` to write to (default results, or results/partial for a part of the comparison)")
	flag.StringVar(&o.cpus, "cpu", "", "comma-separated `counts` of processors for the load cores (default 1,2,4… up to all of them, and four times as many)")
	flag.BoolVar(&o.again, "again", false, "measure nothing: write the tables and plots of the CSV file in the directory again")
	flag.StringVar(&o.readme, "readme", "", "`file` to put the table of nine rows into, between its marks")
	flag.BoolVar(&o.list, "list", false, "list the loads and the peers")
	flag.StringVar(&o.child, "child", "", "run one `case` and print it: used by compare itself")
	flag.Parse()
	if err := start(o); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func start(o options) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case o.child != "":
		return runChild(o.child)
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
	c := &comparison{config: loads.Full(), rounds: 3, hung: map[string]bool{}}
	if o.short {
		c.config, c.rounds, c.atOnce = loads.Short(), 1, 6*runtime.NumCPU()
	}
	if o.rounds > 0 {
		c.rounds = o.rounds
	}
	if c.rounds%2 == 0 || c.rounds < 3 && !o.isPart() {
		return nil, fmt.Errorf("%d rounds: a median needs an odd number, and a whole comparison at least three", c.rounds)
	}
	if err := o.setCPUs(&c.config); err != nil {
		return nil, err
	}
	if o.huge {
		c.config.Pending = append(c.config.Pending, 10_000_000)
	}
	var err error
	if c.loads, err = chooseLoads(o.loads); err != nil {
		return nil, err
	}
	c.contestants, err = c.chooseContestants(o.peers)
	return c, err
}

// setCPUs takes over what -cpu says.
func (o options) setCPUs(c *loads.Config) error {
	if o.cpus == "" {
		return nil
	}
	c.CPUs = nil
	for text := range strings.SplitSeq(o.cpus, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-cpu: %q is no number of processors", text)
		}
		c.CPUs = append(c.CPUs, n)
	}
	return nil
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

// chooseContestants finds the peers in this program, and those of the JVM.
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
			chosen = append(chosen, goPeer{p})
		}
	}
	if onJVM {
		jvm, note := openJVM()
		c.notes = append(c.notes, note)
		chosen = append(chosen, jvm...)
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

// faultOfOurs returns the first thing that went wrong with this library: what
// the smoke test of CI looks for.
func (c *comparison) faultOfOurs() error {
	for _, r := range c.rows {
		if strings.HasPrefix(r.Peer, "hashedwheel") && r.Mark != "" && !isRemark(r.Mark) {
			return fmt.Errorf("%s, %s: %s: %s", r.Load, r.Case, r.Peer, r.Mark)
		}
	}
	return nil
}

// isRemark tells a mark that is no fault.
func isRemark(mark string) bool {
	return strings.HasPrefix(mark, "not supported") || strings.HasPrefix(mark, loads.Bears)
}

// isPart reports whether the options leave anything out.
func (o options) isPart() bool {
	return o.short || slices.ContainsFunc([]string{o.loads, o.peers}, func(s string) bool { return s != "" })
}
