package main

import (
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// A message is a jetstream.Msg that notes what is done with it.
type message struct {
	jetstream.Msg
	due     string
	done    []string
	delayed time.Duration
}

func (m *message) Data() []byte { return []byte("7") }

func (m *message) Headers() nats.Header { return nats.Header{dueHeader: {m.due}} }

func (m *message) note(what string) error {
	m.done = append(m.done, what)
	return nil
}

func (m *message) Ack() error                  { return m.note("acknowledged") }
func (m *message) Nak() error                  { return m.note("given back") }
func (m *message) TermWithReason(string) error { return m.note("terminated") }

func (m *message) NakWithDelay(d time.Duration) error {
	m.delayed = d
	return m.note("sent back")
}

func messageDueIn(d time.Duration) *message {
	return &message{due: time.Now().Add(d).Format(time.RFC3339Nano)}
}

// newTestWorker returns a worker whose horizon is an hour, and whose wheel turns when
// the clock is advanced.
func newTestWorker() (*worker, *hashedwheel.ManualClock, *strings.Builder) {
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	out := &strings.Builder{}
	return &worker{timer: timer, horizon: time.Hour, out: out}, clock, out
}

func TestFarJobIsSentBackUntilItIsNear(t *testing.T) {
	w, _, _ := newTestWorker()
	m := messageDueIn(3 * time.Hour)
	w.receive(m)
	require.Equal(t, []string{"sent back"}, m.done)
	require.InDelta(t, 2*time.Hour, m.delayed, float64(time.Minute))
	require.Zero(t, w.timer.Pending())
}

func TestNearJobIsAcknowledgedAfterItRan(t *testing.T) {
	w, clock, out := newTestWorker()
	m := messageDueIn(30 * time.Minute)
	w.receive(m)
	clock.Advance(29 * time.Minute)
	require.Equal(t, "claimed 7 0\n", out.String())
	require.Empty(t, m.done)

	clock.Advance(time.Minute)
	require.Contains(t, out.String(), "ran 7 ")
	require.Equal(t, []string{"acknowledged"}, m.done)
}

func TestOverdueJobRunsAtTheNextTick(t *testing.T) {
	w, clock, _ := newTestWorker()
	m := messageDueIn(-time.Hour)
	w.receive(m)
	clock.Advance(time.Second)
	require.Equal(t, []string{"acknowledged"}, m.done)
}

func TestEndingWorkerGivesBackWhatItHasNotBegun(t *testing.T) {
	w, clock, _ := newTestWorker()
	begun, claimed := messageDueIn(time.Minute), messageDueIn(30*time.Minute)
	w.receive(begun)
	w.receive(claimed)
	clock.Advance(2 * time.Minute)
	require.NoError(t, w.end())
	require.Equal(t, []string{"acknowledged"}, begun.done)
	require.Equal(t, []string{"given back"}, claimed.done)
}

func TestJobThatCameTooLateIsGivenBack(t *testing.T) {
	w, _, _ := newTestWorker()
	require.NoError(t, w.end())
	m := messageDueIn(time.Minute)
	w.receive(m)
	require.Equal(t, []string{"given back"}, m.done)
}

func TestJobWithoutATimeIsTerminated(t *testing.T) {
	w, _, _ := newTestWorker()
	m := &message{due: "tomorrow"}
	w.receive(m)
	require.Equal(t, []string{"terminated"}, m.done)
}
