package main

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const connections = 12_000

// A server has the timeouts of one, without a network: idle times of connections, deadlines of calls, and jobs.
type server struct{ tm *hashedwheel.Timer }

// A conn is closed after half a minute without a read.
type conn struct{ idle hashedwheel.Timeout }

// A call fails if it is not answered in time.
type call struct{ deadline *hashedwheel.Timeout }

func newServer() *server {
	s := &server{hashedwheel.MustNew()}
	for range 250 {
		s.tm.AfterFunc(rand.N(30*time.Minute), s.expireSession)
	}
	for i := range 40 {
		s.tm.AfterFunc(time.Duration(i)*36*time.Hour, s.renewCertificate)
	}
	s.tm.AfterFunc(24*time.Hour, func() {}) // a function literal: the page shows its file and line
	s.tm.Every(time.Second, s.report)
	return s
}

// work reads from connections, and begins and answers calls, until done is closed.
func (s *server) work(done <-chan struct{}) {
	conns := make([]conn, connections)
	for i := range conns {
		c := &conns[i]
		c.idle.Init(s.tm, c)
		c.idle.Reset(30*time.Second - rand.N(10*time.Second))
		if i%6 == 0 {
			s.tm.AfterFunc(rand.N(5*time.Minute), c.ping)
		}
		if i%40 == 0 { // not yet authenticated
			s.tm.AfterFunc(rand.N(10*time.Minute), c.close)
		}
	}
	var open []*call
	for ticks := time.NewTicker(10 * time.Millisecond); ; {
		for range connections / 700 {
			conns[rand.IntN(len(conns))].idle.Reset(30 * time.Second)
		}
		for range 40 {
			c := new(call)
			c.deadline = s.tm.AfterFunc(time.Second, c.fail)
			open = append(open, c)
		}
		s.tm.AfterFunc(100*time.Millisecond, open[0].retry)
		for ; len(open) > 400; open = open[1:] { // the oldest are answered, but for a few
			if rand.IntN(50) > 0 {
				open[0].deadline.Stop()
			}
		}
		select {
		case <-ticks.C:
		case <-done:
			return
		}
	}
}

// Run opens the connection again.
func (c *conn) Run(to *hashedwheel.Timeout) { to.Reset(30 * time.Second) }

// TaskName is the name on the page, in place of *main.conn.
func (c *conn) TaskName() string { return "idle connection" }

func (c *conn) ping()                        {}
func (c *conn) close()                       {}
func (c *call) fail()                        {}
func (c *call) retry()                       {}
func (s *server) expireSession()             {}
func (s *server) renewCertificate()          {}
func (s *server) report(*hashedwheel.Series) {}
