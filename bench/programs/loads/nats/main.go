// 4,000 requests a second through a server, each with a timeout, over 10 connections.
package main

import (
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func main() {
	load.Main(func(r *load.Run) {
		s := load.Get(server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, WriteDeadline: 10 * time.Second}))
		s.Start()
		if !s.ReadyForConnections(10 * time.Second) {
			load.Must(fmt.Errorf("the server does not start"))
		}
		conns := make([]*nats.Conn, 10)
		for i := range conns {
			conns[i] = load.Get(nats.Connect(s.ClientURL()))
			load.Get(conns[i].Subscribe(fmt.Sprintf("echo.%d", i), func(m *nats.Msg) { _ = m.Respond(m.Data) })) // the requester counts the answers
			load.Must(conns[i].Flush())
		}
		data := make([]byte, 128)
		r.Pace(float64(r.Scale(4_000)), r.Scale(100), func(w, _ int) {
			load.Get(conns[w%10].Request(fmt.Sprintf("echo.%d", (w+1)%10), data, 10*time.Second))
		})
	})
}
