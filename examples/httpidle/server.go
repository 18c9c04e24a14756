package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A server answers requests within a limit, and closes connections that are idle.
type server struct {
	timer           *hashedwheel.Timer
	idleTime, limit time.Duration
	http            http.Server
	listener        net.Listener
	serving         sync.WaitGroup

	open, requests atomic.Int64

	mu    sync.Mutex
	tally tally // guarded by mu
}

// A tally counts how the connections and requests ended.
type tally struct {
	idle      []time.Duration // lateness of the idle closes
	cut       []time.Duration // lateness of the exceeded deadlines
	kept      int             // connections that the client closed
	stalled   int             // closed as idle, although the client was not done
	forgotten int             // not closed, although the client was silent
}

// connKey is the key of the conn in the context of a request.
type connKey struct{}

func listen(timer *hashedwheel.Timer, idle, limit time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{timer: timer, idleTime: idle, limit: limit}
	s.listener = listener{l, s}
	s.http.Handler = s.withDeadline(http.HandlerFunc(s.work))
	s.http.ConnState = s.onState
	s.http.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, nc)
	}
	s.serving.Go(func() { _ = s.http.Serve(s.listener) })
	return s, nil
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// close accepts no more connections and waits until all have ended. Shutdown alone does not
// wait for the last call of onState.
func (s *server) close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	s.serving.Wait()
	for s.open.Load() > 0 && err == nil {
		select {
		case <-s.timer.After(time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

func (s *server) closedAsIdle(late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.idle = append(s.tally.idle, late)
}

func (s *server) cutShort(late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.cut = append(s.tally.cut, late)
}

// ended counts a closed connection.
func (s *server) ended(c *conn) {
	s.open.Add(-1)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch idle, last := c.wasIdle.Load(), c.last.Load(); {
	case idle && !last:
		s.tally.stalled++
	case !idle && last:
		s.tally.forgotten++
	case !idle:
		s.tally.kept++
	}
}

// counts returns how many connections were closed as idle, and how many requests
// exceeded their deadline.
func (s *server) counts() (idle, cut int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tally.idle), len(s.tally.cut)
}

// work takes the time in the request, unless its context ends before.
func (s *server) work(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	takes, err := time.ParseDuration(r.FormValue("takes"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.FormValue("last") != "" {
		r.Context().Value(connKey{}).(*conn).last.Store(true)
	}
	select {
	case <-s.timer.After(takes): // nothing to stop; all requests whose work ends in that tick share the channel
		_, _ = w.Write([]byte("done"))
	case <-r.Context().Done():
		http.Error(w, context.Cause(r.Context()).Error(), http.StatusServiceUnavailable)
	}
}
