// Centrifuge runs the timers of a real-time server's clients on a wheel.
//
// A github.com/centrifugal/centrifuge Node arms a timer for each client, mostly for its next ping.
// Config.ClientTimerScheduler replaces these timers; scheduler.go, to be copied as it is, puts
// them on a wheel.
//
// The program connects 10,000 clients to a Node. Their transport is a fake that counts pings. Look
// at
//
//   - "timers on the wheel": one for each client;
//   - "pings": each client got one every interval;
//   - "apart": the interval plus at most a tick, give or take the delays of a busy machine.
//
// The exit status is 1 if a client got too few pings or was disconnected, or if timers are left
// on the wheel at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

const tick = 10 * time.Millisecond

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var s scene
	return example.Program{
		Name: "centrifuge",
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&s.clients, "clients", 10_000, "`number` of clients")
			flags.DurationVar(&s.interval, "interval", time.Second, "`time` between two pings to a client")
			flags.IntVar(&s.pings, "pings", 3, "least `number` of pings for each client")
		},
		Check: func() error {
			if s.clients < 1 || s.interval < 100*time.Millisecond || s.pings < 2 {
				return errors.New("at least: -clients 1, -interval 100ms, -pings 2")
			}
			return nil
		},
		Show: s.show,
		Held: "every client got its pings from the wheel",
	}.Run(args, stdout, stderr)
}

// A scene is a Node with its clients.
type scene struct {
	clients  int
	interval time.Duration
	pings    int
}

func (s *scene) show(stdout io.Writer) error {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick))
	defer tm.Stop()
	node, err := centrifuge.New(centrifuge.Config{ClientTimerScheduler: scheduler{tm}})
	if err != nil {
		return err
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{}}, nil
	})
	if err := node.Run(); err != nil {
		return err
	}
	transports, err := s.connect(node)
	if err == nil {
		fmt.Fprintf(stdout, "%d clients, %d timers on the wheel\n", s.clients, tm.Pending())
		time.Sleep(time.Duration(s.pings+1) * s.interval) // centrifuge spreads the first ping over an interval
		err = s.report(stdout, transports)
	}
	err = errors.Join(err, node.Shutdown(context.Background()))
	fmt.Fprintf(stdout, "all disconnected: %d timers left on the wheel\n", tm.Pending())
	if left := tm.Pending(); left > 0 {
		err = errors.Join(err, fmt.Errorf("%d timers are left", left))
	}
	return err
}

// connect connects the clients.
func (s *scene) connect(node *centrifuge.Node) (transports []*transport, err error) {
	for range s.clients {
		t := &transport{interval: s.interval}
		client, _, err := centrifuge.NewClient(context.Background(), node, t)
		if err != nil {
			return nil, err
		}
		client.Connect(centrifuge.ConnectRequest{})
		transports = append(transports, t)
	}
	return transports, nil
}

// report sums up the pings of the transports.
func (s *scene) report(stdout io.Writer, transports []*transport) (err error) {
	pings, shortest, longest := 0, time.Hour, time.Duration(0)
	for i, t := range transports {
		t.mu.Lock()
		pings, shortest, longest = pings+t.pings, min(shortest, t.shortest), max(longest, t.longest)
		if t.closed || t.pings < s.pings {
			err = fmt.Errorf("client %d: %d pings, closed: %v", i, t.pings, t.closed)
		}
		t.mu.Unlock()
	}
	fmt.Fprintf(stdout, "%d pings, one every %v to each client; %v to %v apart\n", pings, s.interval,
		shortest.Round(time.Millisecond), longest.Round(time.Millisecond))
	return err
}
