package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/valyala/fasthttp"
)

// A server answers "/" with a word, and "/long" with more data than a socket buffers.
type server struct {
	listener net.Listener
	timer    *hashedwheel.Timer
	http     fasthttp.Server
	ended    chan error
	closed   chan time.Time // when a connection was closed as idle
}

var (
	short = []byte("hello")
	long  = bytes.Repeat([]byte("long"), 16<<20)
)

// quiet drops the server's log of closed connections.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func start(timer *hashedwheel.Timer, d time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{timer: timer, ended: make(chan error, 1), closed: make(chan time.Time, len(clients))}
	s.listener = idle.NewListener(timer, l, d, idle.OnIdle(func(net.Conn) { s.closed <- time.Now() }))
	s.http = fasthttp.Server{Handler: answer, Logger: quiet{}}
	go func() { s.ended <- s.http.Serve(s.listener) }()
	return s, nil
}

func answer(ctx *fasthttp.RequestCtx) {
	if string(ctx.Path()) == "/long" {
		ctx.Response.SetBodyRaw(long)
		return
	}
	ctx.Response.SetBodyRaw(short)
}

func (s *server) addr() string { return s.listener.Addr().String() }

// stop ends the server. It returns an error if a timeout outlived its connection.
func (s *server) stop() error {
	err := errors.Join(s.http.Shutdown(), <-s.ended)
	if n := s.timer.Pending(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d timeouts outlived their connections", n))
	}
	return err
}
