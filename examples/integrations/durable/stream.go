package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamName   = "JOBS"
	consumerName = "workers"
	dueHeader    = "Due" // when a job is due, RFC 3339 with nanoseconds
)

// startServer starts a server on loopback that keeps its streams in files.
func startServer() (srv *server.Server, stop func(), err error) {
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		return nil, nil, err
	}
	srv, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir,
		NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, nil, err
	}
	srv.Start()
	stop = func() {
		srv.Shutdown()
		srv.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}
	if !srv.ReadyForConnections(10 * time.Second) {
		stop()
		return nil, nil, fmt.Errorf("the server did not start")
	}
	return srv, stop, nil
}

// connect returns a connection to the server.
func connect(url string) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return nc, js, nil
}

// createStream makes the stream of jobs, and the one consumer that the workers share.
func createStream(ctx context.Context, js jetstream.JetStream, claimFor time.Duration) error {
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name:      streamName,
		Subjects:  []string{streamName},
		Retention: jetstream.WorkQueuePolicy, // a job is kept until it is acknowledged
	})
	if err != nil {
		return err
	}
	_, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       consumerName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       claimFor,
		MaxAckPending: -1, // no bound: jobs that were sent back count
	})
	return err
}

// publish puts a job into the stream. Its number names it.
func publish(ctx context.Context, js jetstream.JetStream, number int, due time.Time) error {
	msg := nats.NewMsg(streamName)
	msg.Data = []byte(strconv.Itoa(number))
	msg.Header.Set(dueHeader, due.Format(time.RFC3339Nano))
	_, err := js.PublishMsg(ctx, msg)
	return err
}
