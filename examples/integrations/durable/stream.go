// Package durable runs delayed jobs that survive the process. A NATS JetStream stream keeps them, and workers run them
// at their times. See README.md.
package durable

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamName   = "JOBS"
	consumerName = "workers"
	delayHeader  = "Delay" // from when the server stored a job until the job is due: "1.5s"
)

// CreateStream makes the stream of jobs, and the consumer that all workers share. If a claim is not extended for
// claimFor, the stream hands the job to another worker.
func CreateStream(ctx context.Context, js jetstream.JetStream, claimFor time.Duration) error {
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name:       streamName,
		Subjects:   []string{streamName},
		Retention:  jetstream.WorkQueuePolicy, // a job is kept until it is acknowledged
		Duplicates: 2 * time.Minute,           // the time in which a producer may publish a job again
	})
	if err != nil {
		return err
	}
	_, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       consumerName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       claimFor,
		MaxAckPending: -1, // no bound, since jobs that are sent back count
	})
	return err
}

// Publish adds a job to the stream. The stream stores each name once, so a producer that gets no answer may publish the
// job again. The job is due the delay after the server has stored it: the producer's clock does not matter.
func Publish(ctx context.Context, js jetstream.JetStream, name string, data []byte, delay time.Duration) error {
	msg := nats.NewMsg(streamName)
	msg.Data = data
	msg.Header.Set(delayHeader, delay.String())
	msg.Header.Set(nats.MsgIdHdr, name)
	_, err := js.PublishMsg(ctx, msg)
	return err
}
