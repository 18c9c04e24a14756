package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The server's own schedules need no code in a worker: the server keeps a message with these headers,
// one for each subject, and publishes it to the target at its time. (jetstream.WithScheduleAt cuts
// the time to the second, so a message may be early.)
const (
	scheduleHeader = "Nats-Schedule"
	targetHeader   = "Nats-Schedule-Target"
)

// measureSchedules returns how late the server's own schedules are, for cfg.jobs messages.
func measureSchedules(ctx context.Context, js jetstream.JetStream, cfg config) ([]time.Duration, error) {
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name:              "SCHEDULES",
		Subjects:          []string{"schedule.*", "scheduled"},
		AllowMsgSchedules: true,
	})
	if err != nil {
		return nil, err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{"scheduled"}})
	if err != nil {
		return nil, err
	}
	late := make(chan time.Duration, cfg.jobs)
	consuming, err := consumer.Consume(func(message jetstream.Msg) {
		due, _ := strconv.ParseInt(string(message.Data()), 10, 64)
		late <- time.Since(time.Unix(0, due))
	})
	if err != nil {
		return nil, err
	}
	defer consuming.Stop()
	first := time.Now().Add(cfg.horizon)
	for i := range cfg.jobs {
		due := first.Add(cfg.spread * time.Duration(i) / time.Duration(cfg.jobs))
		message := nats.NewMsg("schedule." + strconv.Itoa(i))
		message.Data = []byte(strconv.FormatInt(due.UnixNano(), 10))
		message.Header.Set(scheduleHeader, "@at "+due.UTC().Format(time.RFC3339Nano))
		message.Header.Set(targetHeader, "scheduled")
		if _, err := js.PublishMsg(ctx, message); err != nil {
			return nil, err
		}
	}
	var all []time.Duration
	for len(all) < cfg.jobs {
		select {
		case d := <-late:
			all = append(all, d)
		case <-time.After(patience):
			return nil, fmt.Errorf("%d of %d scheduled messages received", len(all), cfg.jobs)
		}
	}
	return all, nil
}
