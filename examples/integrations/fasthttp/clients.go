package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// A client uses a connection, and returns the time of its last byte.
type client struct {
	does, ends string
	note       string
	talk       func(c net.Conn, idle time.Duration) (heard time.Time, err error)
}

// clients run one after another. All except the first fall silent, and their connections are closed.
var clients = []client{
	{"sends a request each half idle time", "kept", "", func(c net.Conn, idle time.Duration) (time.Time, error) {
		r := bufio.NewReader(c)
		for range 5 {
			if err := request(c, r, "/"); err != nil {
				return time.Time{}, err
			}
			time.Sleep(idle / 2)
		}
		return time.Time{}, nil
	}},
	{"connects and says nothing", "closed", "", func(net.Conn, time.Duration) (time.Time, error) { return time.Now(), nil }},
	{"stops in the middle of a request", "closed", "", func(c net.Conn, idle time.Duration) (time.Time, error) {
		time.Sleep(idle / 2)
		heard := time.Now()
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: ")
		return heard, err
	}},
	{"stops reading in the middle of a long answer", "closed", " (its kernel received data for a while)", func(c net.Conn, idle time.Duration) (time.Time, error) {
		heard := time.Now()
		_, err := io.WriteString(c, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(2 * idle) // the server cannot send, and closes the connection
		return heard, err
	}},
}

// request sends a request and reads its answer.
func request(c net.Conn, r *bufio.Reader, path string) error {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return err
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if line == "\r\n" {
			_, err := io.ReadFull(r, make([]byte, len(short)))
			return err
		}
	}
}

// run returns the time from the client's last byte until the server closed the connection, or how
// long the connection was kept.
func (c client) run(s *server, idle time.Duration) (time.Duration, error) {
	conn, err := net.Dial("tcp", s.addr())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	start := time.Now()
	_ = conn.SetDeadline(start.Add(8 * idle))
	heard, err := c.talk(conn, idle)
	if err != nil || heard.IsZero() {
		return time.Since(start), err
	}
	if _, err = io.Copy(io.Discard, conn); isTimeout(err) {
		return 0, errors.New("was not closed")
	}
	took := (<-s.closed).Sub(heard)
	if took < idle {
		return 0, fmt.Errorf("was closed after %v, early", took)
	}
	return took, nil
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}
