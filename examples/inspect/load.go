package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A server is a simulation without a network.
type server struct {
	connections, calls, jobs *hashedwheel.Timer
	conns                    []conn
	underWay                 []*call
}

// A conn is closed after half a minute without a read.
type conn struct {
	idle hashedwheel.Timeout
}

// A call fails if it is not answered in time.
type call struct {
	deadline *hashedwheel.Timeout
}

const (
	idleTimeout = 30 * time.Second
	pingEvery   = 5 * time.Minute
	deadline    = time.Second
	maxCalls    = 10_000
	pace        = 10 * time.Millisecond // between two steps of the load
)

func newServer(connections int) *server {
	s := &server{
		connections: hashedwheel.MustNew(),
		calls:       hashedwheel.MustNew(hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithMaxPending(maxCalls)),
		jobs:        hashedwheel.MustNew(hashedwheel.WithTick(time.Second)),
		conns:       make([]conn, connections),
	}
	for i := range s.conns {
		c := &s.conns[i]
		c.idle.Init(s.connections, c)
		c.idle.Reset(idleTimeout - rand.N(idleTimeout/3))
		if i%6 == 0 {
			_, _ = s.connections.Schedule(rand.N(pingEvery), hashedwheel.TaskFunc(c.ping)) // never rejected: there is no bound
		}
		if i%40 == 0 { // not yet authenticated
			s.connections.AfterFunc(rand.N(10*time.Minute), c.close)
		}
	}
	s.plan()
	return s
}

// plan arms jobs in the far future and a job that repeats.
func (s *server) plan() {
	for range 250 {
		s.jobs.AfterFunc(rand.N(30*time.Minute), s.expireSession)
	}
	for i := range 40 {
		s.jobs.AfterFunc(time.Duration(i)*36*time.Hour, s.renewCertificate)
	}
	s.jobs.AfterFunc(24*time.Hour, func() {}) // a function literal: the page shows its file and line
	s.jobs.Every(time.Second, s.report)
}

// work is the load: it reads from connections, begins calls and answers calls.
func (s *server) work(ctx context.Context) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for ctx.Err() == nil {
		for range len(s.conns)/700 + 1 {
			s.conns[rand.IntN(len(s.conns))].idle.Reset(idleTimeout)
		}
		s.begin(40)
		s.answer()
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

func (s *server) begin(n int) {
	for i := range n {
		c := new(call)
		if i == 0 {
			s.calls.AfterFunc(100*time.Millisecond, c.retry)
		}
		c.deadline = s.calls.AfterFunc(deadline, c.fail)
		s.underWay = append(s.underWay, c)
	}
}

// answer answers the oldest calls; a few calls are never answered.
func (s *server) answer() {
	const keep = 400
	for len(s.underWay) > keep {
		c := s.underWay[0]
		s.underWay = s.underWay[1:]
		if rand.IntN(50) > 0 {
			c.deadline.Stop()
		}
	}
}

// Run closes the connection and opens it again.
func (c *conn) Run(to *hashedwheel.Timeout) { to.Reset(idleTimeout) }

// TaskName is the name on the page, in place of *main.conn.
func (c *conn) TaskName() string { return "idle connection" }

// ping pings the other side, and arms itself again.
func (c *conn) ping(to *hashedwheel.Timeout) { to.Reset(pingEvery) }

func (c *conn) close()                       {}
func (c *call) fail()                        {}
func (c *call) retry()                       {}
func (s *server) expireSession()             {}
func (s *server) renewCertificate()          {}
func (s *server) report(*hashedwheel.Series) {}

func (s *server) stop() {
	s.connections.Stop()
	s.calls.Stop()
	s.jobs.Stop()
}
