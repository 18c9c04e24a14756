package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// logged is the number of calls of each kind that are printed.
const logged = 3

// A load makes calls, and records the reports of the watcher.
type load struct {
	cfg    config
	client healthpb.HealthClient
	stdout io.Writer

	mu       sync.Mutex
	calls    map[string]int     // by service; guarded by mu
	failed   []error            // of calls that should have succeeded; guarded by mu
	late     []time.Duration    // time in flight when reported; guarded by mu
	returned []time.Duration    // time in flight of the reported calls at their return; guarded by mu
	statuses map[codes.Code]int // of the reported calls; guarded by mu
}

// callAndWatch runs the server, the client and its callers from beginning to end.
func callAndWatch(cfg config, stdout io.Writer) (*report, error) {
	addr, stop, err := startServer(cfg.lateBy())
	if err != nil {
		return nil, err
	}
	defer stop()
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick)) // onLate writes, and may block: the default executor
	if err != nil {
		return nil, err
	}
	l := &load{cfg: cfg, stdout: stdout, calls: map[string]int{}, statuses: map[codes.Code]int{}}
	w := newWatcher(timer, cfg.limit)
	w.onLate, w.onReturn = l.onLate, l.onReturn

	conn, err := grpc.NewClient(addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // loopback
		grpc.WithUnaryInterceptor(w.unary))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	l.client = healthpb.NewHealthClient(conn)
	if err := l.connect(); err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d callers for %v: a call is reported when not answered within %v, tick %v\n\n",
		cfg.callers, cfg.duration, cfg.limit, cfg.tick)
	l.callAll()
	return l.report(timer)
}

// connect makes a first call, which waits for the connection and may take longer than the limit.
func (l *load) connect() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := l.client.Check(ctx, &healthpb.HealthCheckRequest{Service: fast}, grpc.WaitForReady(true))
	l.calls[fast]++
	return err
}

// callAll makes calls for the duration. The first call of each caller, and one in five hundred of
// the others, is slow or hung in turn.
func (l *load) callAll() {
	end := time.Now().Add(l.cfg.duration)
	var running sync.WaitGroup
	for caller := range l.cfg.callers {
		running.Go(func() {
			for i := 0; i == 0 || time.Now().Before(end); i++ {
				l.call(serviceOf(caller, i))
			}
		})
	}
	running.Wait()
}

func serviceOf(caller, i int) string {
	switch {
	case i%500 != 0:
		return fast
	case (caller+i/500)%2 == 0:
		return slow
	default:
		return hung
	}
}

// call makes one call. Only a hung call should exceed its deadline.
func (l *load) call(service string) {
	deadline := l.cfg.deadline()
	if service == fast {
		deadline = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	_, err := l.client.Check(ctx, &healthpb.HealthCheckRequest{Service: service})

	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[service]++
	if exceeded := status.Code(err) == codes.DeadlineExceeded; err != nil && (service != hung || !exceeded) {
		l.failed = append(l.failed, fmt.Errorf("%s: %w", service, err))
	}
}

func (l *load) onLate(method string, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = append(l.late, after)
	if len(l.late) <= logged {
		fmt.Fprintf(l.stdout, "late:     %s in flight for %v\n", method, after.Round(100*time.Microsecond))
	}
}

func (l *load) onReturn(method string, after time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.returned = append(l.returned, after)
	code := status.Code(err)
	if l.statuses[code]++; l.statuses[code] <= logged {
		fmt.Fprintf(l.stdout, "returned: %s after %v, %v\n", method, after.Round(100*time.Microsecond), code)
	}
}
