package idle_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// The IdleTimeout of an http.Server closes no HTTP/2 connection that has an open stream. Here a client begins a request
// but never sends its body: the Listener closes the connection.
func ExampleNewListener_http2() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	h2c := new(http.Protocols) // HTTP/2 without TLS
	h2c.SetUnencryptedHTTP2(true)
	upload := func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }
	server := &http.Server{Handler: http.HandlerFunc(upload), Protocols: h2c, IdleTimeout: 10 * time.Millisecond}
	closed := idle.WithOnIdle(func(net.Conn) { fmt.Println("server: closed a connection as idle") })
	go server.Serve(idle.NewListener(tm, l, 200*time.Millisecond, closed))
	defer server.Close()

	body, _ := io.Pipe()
	client := &http.Client{Transport: &http.Transport{Protocols: h2c}}
	_, err = client.Post("http://"+l.Addr().String(), "", body)
	fmt.Println("client: error:", err != nil)
	// Output:
	// server: closed a connection as idle
	// client: error: true
}
