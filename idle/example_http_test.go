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

// While this handler works, nothing is sent or received. The handler suspends the idle time of its connection, and sets
// it again after the answer.
func slow(w http.ResponseWriter, r *http.Request) {
	if conn, ok := idle.FromContext(r.Context()); ok {
		conn.SetIdleTimeout(0)
		defer conn.SetIdleTimeout(idleTime)
	}
	time.Sleep(2 * idleTime) // a query, say
	fmt.Fprintln(w, "done")
}

const idleTime = time.Second

// An HTTP server with ConnContext gives each handler the Conn of its request. With TLS, call ServeTLS instead of Serve.
func ExampleFromContext() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	server := &http.Server{Handler: http.HandlerFunc(slow), ConnContext: idle.ConnContext}
	go server.Serve(idle.NewListener(tm, l, idleTime))
	defer server.Close()

	resp, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Printf("%s", body)
	// Output: done
}
