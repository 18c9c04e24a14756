package loads

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/servers"
)

const serveWhat = "which closes a connection that was idle for a minute; the clients are a separate process on the same " +
	"cores. CPU of the server for a request, and requests a second, as fast as they are answered; then p50 and p99.9 of the time " +
	"for an answer, from the intended start, at 70% of the requests that the server answered without any idle timeout just before; bytes of heap and " +
	"stacks a connection; and when all connections fall idle at once (with a timeout of some seconds): CPU of the server, and how late the last one is closed."

var echo = Load{Name: "echo", What: "A server that echoes 64 bytes over TCP, " + serveWhat, Cases: casesOfServer(false)}

var overHTTP = Load{Name: "http", What: "A server of net/http with keep-alive and an answer of 64 bytes, " + serveWhat, Cases: casesOfServer(true)}

func casesOfServer(http bool) func(c Config) []Case {
	return func(c Config) (cases []Case) {
		for _, n := range []int{c.Count(100), c.Count(10_000)} {
			cases = append(cases, Case{
				Name: numbers.Grouped(n) + " connections", Guard: true,
				Run: func(p peers.Peer, c Config) ([]Figure, error) { return serve(p, c, http, n) },
			})
		}
		return cases
	}
}

func serve(p peers.Peer, c Config, http bool, n int) ([]Figure, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	bare, err := capacity(ctx, c, http, n)
	if err != nil {
		return nil, err
	}
	before := inUse()
	s, clients, err := connect(ctx, p, time.Minute, http, n)
	if err != nil {
		return nil, err
	}
	each := (inUse() - before) / float64(n)
	cpu := machine.CPUTime()
	full, err := clients.Saturate(c.Time(2 * time.Second))
	if err != nil {
		return nil, err
	}
	cpu = machine.CPUTime() - cpu
	kept, err := clients.Keep(int(0.7*bare), c.Time(2*time.Second))
	if err != nil {
		return nil, err
	}
	disconnect(s, clients)
	figures := []Figure{
		cpuFigure("CPU a request", Micros, cpu.Seconds()*1e6/float64(full.Requests)),
		{Name: "requests", Unit: PerSecond, Value: float64(full.Requests) / full.Took.Seconds()},
		{Name: "answer p50", Unit: Micros, Value: float64(kept.P50) / 1e3},
		{Name: "answer p99.9", Unit: Micros, Value: float64(kept.P999) / 1e3},
		{Name: "a connection", Unit: Bytes, Value: each},
	}
	idle, err := allFallIdle(ctx, p, c, http, n)
	return append(figures, idle...), err
}

// capacity returns the requests a second that a server answers without a guard.
func capacity(ctx context.Context, c Config, http bool, n int) (float64, error) {
	none, _ := peers.Choose(peers.Unguarded)
	s, clients, err := connect(ctx, none[0], 0, http, n)
	if err != nil {
		return 0, err
	}
	a, err := clients.Saturate(c.Time(2 * time.Second))
	disconnect(s, clients)
	return float64(a.Requests) / a.Took.Seconds(), err
}

// connect starts a server, and n clients that have sent one request each.
func connect(ctx context.Context, p peers.Peer, d time.Duration, http bool, n int) (*servers.Server, *servers.Clients, error) {
	s, err := servers.Start(p.Guard(d), http)
	if err != nil {
		return nil, nil, err
	}
	clients, err := servers.Connect(ctx, s, http, n)
	if err == nil {
		_, err = clients.Once()
	}
	return s, clients, err
}

// disconnect returns once the server has closed all connections.
func disconnect(s *servers.Server, clients *servers.Clients) {
	clients.Close()
	for s.Open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// allFallIdle sends one request on each connection, and no more.
func allFallIdle(ctx context.Context, p peers.Peer, c Config, http bool, n int) ([]Figure, error) {
	cpuName, lateName := "CPU when all fall idle", "last closed late"
	if p.Name == peers.Unguarded {
		const never = "never closed"
		return []Figure{
			{Name: cpuName, Unit: Millis, Value: math.NaN(), Mark: never}, {Name: lateName, Unit: Millis, Value: math.NaN(), Mark: never},
		}, nil
	}
	idle := max(c.Time(4*time.Second), time.Second) // longer than connecting takes
	s, clients, err := connect(ctx, p, idle, http, n)
	if err != nil {
		return nil, err
	}
	defer clients.Close()
	cpu, start := machine.CPUTime(), time.Now()
	for s.Open.Load() > 0 {
		if time.Since(start) > idle+20*time.Second {
			return nil, Fault(numbers.Grouped(int(s.Open.Load())) + " not closed")
		}
		time.Sleep(time.Millisecond)
	}
	late := time.Since(start) - idle
	return []Figure{
		cpuFigure(cpuName, Millis, float64(machine.CPUTime()-cpu)/1e6),
		{Name: lateName, Unit: Millis, Value: float64(late) / 1e6},
	}, nil
}

// inUse returns the bytes of objects and stacks after a collection.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64() + s[1].Value.Uint64())
}
