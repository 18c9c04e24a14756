package main

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// The services that the clients check. The server delays two of them.
const (
	fast = "fast" // answered at once
	slow = "slow" // answered long after the limit
	hung = "hung" // not answered before the caller gives up
)

// startServer starts a server of the standard health service on loopback. It delays slow calls by
// lateBy.
func startServer(lateBy time.Duration) (addr string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	service := health.NewServer()
	for _, name := range []string{fast, slow, hung} {
		service.SetServingStatus(name, healthpb.HealthCheckResponse_SERVING)
	}
	srv := grpc.NewServer(grpc.UnaryInterceptor(delay(lateBy)))
	healthpb.RegisterHealthServer(srv, service)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // until stopped
	}()
	return l.Addr().String(), func() { srv.Stop(); <-ended }, nil
}

// delay delays the calls for the slow and the hung service.
func delay(lateBy time.Duration) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		switch request.(*healthpb.HealthCheckRequest).GetService() {
		case slow:
			wait(ctx, lateBy)
		case hung:
			<-ctx.Done()
		}
		return handle(ctx, request)
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
