package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamName   = "JOBS"
	consumerName = "workers"
	delayHeader  = "Delay" // from the time the server stored a job until it is due: "1.5s"
)

// startServer starts a server on loopback that keeps its streams in files.
func startServer() (srv *server.Server, stop func(), err error) {
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		return nil, nil, err
	}
	srv, shutdown, err := startServerAt(server.RANDOM_PORT, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	return srv, func() {
		shutdown()
		_ = os.RemoveAll(dir)
	}, nil
}

// startServerAt starts a server on a port, with the streams of a directory.
func startServerAt(port int, dir string) (srv *server.Server, stop func(), err error) {
	srv, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port,
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
	}
	if !srv.ReadyForConnections(10 * time.Second) {
		stop()
		return nil, nil, fmt.Errorf("the server did not start")
	}
	return srv, stop, nil
}

// connect returns a connection to the server that always reconnects. (By default the client gives up
// after two minutes.) It logs when the connection is lost.
func connect(url string, log io.Writer, opts ...nats.Option) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := nats.Connect(url, append([]nats.Option{
		nats.MaxReconnects(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				fmt.Fprintln(log, "connection lost:", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { fmt.Fprintln(log, "connected again to", nc.ConnectedUrl()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { fmt.Fprintln(log, "connection:", err) }),
	}, opts...)...)
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

// createStream makes the stream of jobs and the consumer that all workers share.
func createStream(ctx context.Context, js jetstream.JetStream, claimFor time.Duration) error {
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name:      streamName,
		Subjects:  []string{streamName},
		Retention: jetstream.WorkQueuePolicy, // a job is kept until it is acknowledged

		Duplicates: 2 * time.Minute, // for so long a producer may publish a job again
	})
	if err != nil {
		return err
	}
	_, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       consumerName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       claimFor,
		MaxAckPending: -1, // no bound, since jobs that were sent back count
	})
	return err
}

// publish puts a job into the stream. The text begins with the job's name. The stream stores each
// name once, so a producer without an answer may publish the job again.
//
// A job is due a delay after the server has stored it, so the producer's clock does not matter. If
// the delay was computed from a time of day, it is as wrong as the clock it was computed with.
func publish(ctx context.Context, js jetstream.JetStream, text string, delay time.Duration) error {
	name, _, _ := strings.Cut(text, " ")
	msg := nats.NewMsg(streamName)
	msg.Data = []byte(text)
	msg.Header.Set(delayHeader, delay.String())
	msg.Header.Set(nats.MsgIdHdr, name)
	_, err := js.PublishMsg(ctx, msg)
	return err
}
