// 2,000 calls a second, each with a deadline, over 10 connections.
package main

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func main() {
	load.Main(func(r *load.Run) {
		listener := load.Get(net.Listen("tcp", "127.0.0.1:0"))
		server := grpc.NewServer()
		grpc_health_v1.RegisterHealthServer(server, health.NewServer())
		go func() { load.Must(server.Serve(listener)) }()
		clients := make([]grpc_health_v1.HealthClient, 10)
		for i := range clients {
			clients[i] = grpc_health_v1.NewHealthClient(load.Get(grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))))
		}
		r.Pace(float64(r.Scale(2_000)), r.Scale(100), func(w, _ int) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			load.Get(clients[w%len(clients)].Check(ctx, &grpc_health_v1.HealthCheckRequest{}))
		})
	})
}
