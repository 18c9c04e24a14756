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

// A message is a jetstream.Msg that records the calls.
type message struct {
	jetstream.Msg
	stored     time.Time
	delay      string
	deliveries uint64
	done       []string
	delayed    time.Duration
}

func (m *message) Data() []byte { return []byte("7 is the name") }

func (m *message) Headers() nats.Header { return nats.Header{delayHeader: {m.delay}} }

func (m *message) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Timestamp: m.stored, NumDelivered: m.deliveries}, nil
}

func (m *message) InProgress() error { return m.note("extended") }

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

// bench is a worker on a clock that the test advances. Its horizon is an hour, and a claim is
// valid for an hour and a second.
type bench struct {
	*worker
	clock *hashedwheel.ManualClock
	out   strings.Builder
}

func newBench(t *testing.T, perform func(string)) *bench {
	t.Helper()
	b := &bench{clock: hashedwheel.NewManualClock(time.Now())}
	b.worker = newWorker(config{horizon: time.Hour}, perform, &b.out,
		hashedwheel.WithClock(b.clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	_, err := b.worker.clock.measure(func() (time.Time, error) { return b.clock.Now(), nil })
	require.NoError(t, err)
	return b
}

// dueIn returns a message that the server stores now.
func (b *bench) dueIn(d time.Duration) *message {
	return &message{stored: b.clock.Now(), delay: d.String(), deliveries: 1}
}

func nothing(string) {}

func TestFarJobIsSentBackUntilItIsNear(t *testing.T) {
	b := newBench(t, nothing)
	m := b.dueIn(3 * time.Hour)
	b.receive(m)
	require.Equal(t, []string{"sent back"}, m.done)
	require.InDelta(t, 2*time.Hour, m.delayed, float64(time.Minute))
	require.Zero(t, b.timer.Pending())
}

func TestNearJobIsAcknowledgedAfterItRan(t *testing.T) {
	b := newBench(t, nothing)
	m := b.dueIn(30 * time.Minute)
	b.receive(m)
	b.clock.Advance(29 * time.Minute)
	require.Equal(t, "claimed 7 0\n", b.out.String())
	require.NotContains(t, m.done, "acknowledged")

	b.clock.Advance(time.Minute)
	require.Contains(t, b.out.String(), "ran 7 ")
	require.Equal(t, "acknowledged", m.done[len(m.done)-1])
}

func TestOverdueJobRunsAtTheNextTick(t *testing.T) {
	b := newBench(t, nothing)
	m := b.dueIn(-time.Hour)
	b.receive(m)
	b.clock.Advance(time.Second)
	require.Equal(t, []string{"acknowledged"}, m.done)
}

func TestEndingWorkerGivesBackJobsNotBegun(t *testing.T) {
	b := newBench(t, nothing)
	begun, claimed := b.dueIn(time.Minute), b.dueIn(30*time.Minute)
	b.receive(begun)
	b.receive(claimed)
	b.clock.Advance(2 * time.Minute)
	require.NoError(t, b.end())
	require.Contains(t, begun.done, "acknowledged")
	require.Equal(t, []string{"given back"}, claimed.done)
}

func TestJobForAStoppedTimerIsGivenBack(t *testing.T) {
	b := newBench(t, nothing)
	require.NoError(t, b.end())
	m := b.dueIn(time.Minute)
	b.receive(m)
	require.Equal(t, []string{"given back"}, m.done)
}

func TestJobWithoutATimeIsTerminated(t *testing.T) {
	b := newBench(t, nothing)
	m := &message{delay: "tomorrow"}
	b.receive(m)
	require.Equal(t, []string{"terminated"}, m.done)
}

// A claim lasts an hour and a second here, and is extended every third of that.
func TestClaimIsExtendedUntilTheJobHasRun(t *testing.T) {
	var m *message
	b := newBench(t, nil)
	b.perform = func(string) {
		for range 6 { // the job lasts two hours
			before := len(m.done)
			b.clock.Advance(20*time.Minute + 20*time.Second)
			require.Equal(t, []string{"extended"}, m.done[before:])
		}
	}
	b.timer = hashedwheel.MustNew() // real time for the job, so that it can advance the clock of the beats
	m = b.dueIn(-time.Second)
	b.receive(m)
	require.Eventually(t, func() bool { return b.timer.Pending() == 0 }, patience, time.Millisecond)
	_, err := b.timer.Shutdown(t.Context())
	require.NoError(t, err)
	require.Equal(t, "acknowledged", m.done[len(m.done)-1])
	n := len(m.done)
	b.clock.Advance(3 * time.Hour)
	require.Len(t, m.done, n, "an extension after the acknowledgement")
}

func TestJobWhoseClaimHasRunOutIsLeftToTheStream(t *testing.T) {
	b := newBench(t, func(string) { t.Error("the job ran") })
	b.connected = func() bool { return false } // so the claim is not extended
	m := b.dueIn(time.Hour)
	b.receive(m)
	b.clock.Advance(30 * time.Minute)
	j := b.timer.Sample(1)[0].Task().(*job)
	j.mu.Lock()
	j.extended = j.extended.Add(-time.Hour)
	j.mu.Unlock()
	b.clock.Advance(time.Hour)
	require.Contains(t, b.out.String(), "left 7")
	require.Empty(t, m.done)
}

func TestEndingWorkerDoesNotNakAClaimThatHasRunOut(t *testing.T) {
	b := newBench(t, nothing)
	b.connected = func() bool { return false }
	m := b.dueIn(time.Hour)
	b.receive(m)
	j := b.timer.Sample(1)[0].Task().(*job)
	j.mu.Lock()
	j.extended = j.extended.Add(-2 * time.Hour)
	j.mu.Unlock()
	require.NoError(t, b.end())
	require.Empty(t, m.done)
}

func TestClaimThatHasRunOutIsNotExtended(t *testing.T) {
	b := newBench(t, nothing)
	online := false
	b.connected = func() bool { return online }
	j := &job{worker: b.worker, message: b.dueIn(0), extended: b.clock.Now()}
	b.clock.Advance(2 * time.Hour)
	online = true
	j.extend()
	require.Empty(t, j.message.(*message).done)
	require.False(t, j.valid())
}

func TestPanickedJobIsSentBackAndCounted(t *testing.T) {
	b := newBench(t, func(string) { panic("on purpose") })
	m := b.dueIn(time.Minute)
	b.receive(m)
	b.clock.Advance(2 * time.Minute)
	require.Equal(t, []string{"sent back"}, m.done)
	require.Equal(t, retryPause, m.delayed)
	require.EqualValues(t, 1, b.timer.Stats().Panics)
	require.Contains(t, b.out.String(), "panicked 7")
	b.clock.Advance(3 * time.Hour)
	require.Len(t, m.done, 1, "a claim extended after the job was sent back")
}

func TestJobIsTerminatedAfterManyDeliveries(t *testing.T) {
	b := newBench(t, nothing)
	m := b.dueIn(0)
	m.deliveries = maxDeliveries
	b.receive(m)
	b.clock.Advance(time.Second)
	require.Contains(t, m.done, "acknowledged", "the last delivery that counts")

	m = b.dueIn(0)
	m.deliveries = maxDeliveries + 1
	b.receive(m)
	require.Equal(t, []string{"terminated"}, m.done)
	require.Contains(t, b.out.String(), "terminated 7")
}

func TestWrongClockOfAWorkerRunsNoJobEarly(t *testing.T) {
	for _, wrong := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		b := newBench(t, nothing)
		server := func() time.Time { return b.clock.Now().Add(wrong) }
		_, err := b.worker.clock.measure(func() (time.Time, error) { return server(), nil })
		require.NoError(t, err)
		m := &message{stored: server(), delay: "30m", deliveries: 1}
		b.receive(m)
		b.clock.Advance(30*time.Minute - time.Second)
		require.NotContains(t, m.done, "acknowledged", wrong)
		b.clock.Advance(2 * time.Second)
		require.Contains(t, m.done, "acknowledged", wrong)
	}
}

func TestServerClockTakesTheAnswerThatTraveledLeast(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &serverClock{now: func() time.Time { return now }}
	travel := []time.Duration{50, 30, 10, 40, 20}
	_, err := c.measure(func() (time.Time, error) {
		answered := now.Add(time.Hour)
		now = now.Add(travel[0] * time.Millisecond)
		travel = travel[1:]
		return answered, nil
	})
	require.NoError(t, err)
	require.Equal(t, 10*time.Millisecond, now.Add(time.Hour).Sub(c.Now()), "behind by what the answer traveled, never ahead")

	moved, err := c.measure(func() (time.Time, error) { return now.Add(2 * time.Hour), nil })
	require.NoError(t, err)
	require.Equal(t, time.Hour+10*time.Millisecond, moved)
}
