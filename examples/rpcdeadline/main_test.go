package main

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunEndsEveryCallOnce(t *testing.T) {
	tests := map[string]string{
		"calls with time to spare":          "-callers 20 -timeout 50ms -tick 5ms -duration 1s",
		"answers racing with the deadlines": "-callers 50 -timeout 300us -tick 100us -duration 500ms",
		"one caller":                        "-callers 1 -timeout 5ms -tick 1ms -duration 300ms",
	}
	for name, flags := range tests {
		t.Run(name, func(t *testing.T) {
			out := exampletest.Output(t, run, flags)
			answered, exceeded := exampletest.Row(t, out, "calls answered"), exampletest.Row(t, out, "deadlines exceeded")
			armed := exampletest.Row(t, out, "timeouts armed")
			require.Positive(t, exceeded)
			require.Equal(t, armed, answered+exceeded)
			require.Equal(t, armed, exampletest.Row(t, out, "timeouts stopped")+exampletest.Row(t, out, "timeouts expired"))
			require.LessOrEqual(t, exampletest.Row(t, out, "late answers dropped"), exceeded)
			require.Contains(t, out, "answered ", "progress while running")
		})
	}
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-callers 0":               "-callers 0",
		"-callers -3":              "-callers -3",
		"-timeout 0s":              "-timeout 0s",
		"-timeout -1s":             "-timeout -1s",
		"-tick 99us":               "-tick 99µs",
		"-tick 1s -timeout 500ms":  "-tick 1s",
		"-duration 0s":             "-duration 0s",
		"-timeout 5s -duration 5s": "-timeout 5s",
	})
}

// manualClient returns a client without a connection, on a clock that the test advances.
func manualClient() (*client, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	timer := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	return newClient(timer, time.Second), clock
}

func begin(t *testing.T, cl *client) *call {
	t.Helper()
	c := cl.pool.Get().(*call)
	_, err := cl.begin(c)
	require.NoError(t, err)
	return c
}

func TestAnswerBeatsDeadline(t *testing.T) {
	cl, clock := manualClient()
	c := begin(t, cl)
	cl.answer(frame{id: c.id, value: 7})
	clock.Advance(time.Minute)

	require.Equal(t, outcome{id: c.id, value: 7}, <-c.done)
	require.Empty(t, c.done)
	require.Zero(t, cl.expired.Load())
	require.Empty(t, cl.pending)
}

func TestDeadlineBeatsAnswer(t *testing.T) {
	cl, clock := manualClient()
	c := begin(t, cl)
	clock.Advance(time.Minute)
	cl.answer(frame{id: c.id, value: 7})

	require.ErrorIs(t, (<-c.done).err, os.ErrDeadlineExceeded)
	require.Empty(t, c.done)
	require.EqualValues(t, 1, cl.dropped.Load())
	require.Empty(t, cl.pending)
}

func TestLateAnswerDoesNotEndTheNextUseOfTheCall(t *testing.T) {
	cl, clock := manualClient()
	c := begin(t, cl)
	old := c.id
	clock.Advance(time.Minute)
	<-c.done

	_, err := cl.begin(c) // as if the pool had returned it
	require.NoError(t, err)
	cl.answer(frame{id: old})
	require.Empty(t, c.done)
	require.Equal(t, hashedwheel.Pending, c.timeout.State())
}

func TestBrokenConnectionEndsEveryCall(t *testing.T) {
	cl, _ := manualClient()
	a, b := begin(t, cl), begin(t, cl)
	broken := errors.New("broken")
	cl.fail(broken)

	require.ErrorIs(t, (<-a.done).err, broken)
	require.ErrorIs(t, (<-b.done).err, broken)
	_, err := cl.begin(a)
	require.ErrorIs(t, err, broken)
}

func TestStoppedTimerRefusesCalls(t *testing.T) {
	cl, _ := manualClient()
	cl.timer.Stop()
	_, err := cl.begin(cl.pool.Get().(*call))
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
	require.Empty(t, cl.pending)
}

func TestCallEndedTwiceIsNoticed(t *testing.T) {
	cl, _ := manualClient()
	c := begin(t, cl)
	c.end(outcome{id: c.id})
	c.end(outcome{id: c.id})
	require.EqualValues(t, 1, cl.twice.Load())
}

func TestVerdict(t *testing.T) {
	good := func() *report {
		return &report{
			tally: tally{started: 10, answered: 8, late: []time.Duration{0, time.Millisecond}},
			armed: 10, stopped: 8, expired: 2, sent: 9, dropped: 1,
		}
	}
	require.NoError(t, good().verdict())

	tests := map[string]struct {
		spoil func(*report)
		want  string
	}{
		"a call lost":            {func(r *report) { r.lost = 1 }, "never ended"},
		"a call ended twice":     {func(r *report) { r.twice = 1 }, "ended twice"},
		"a deadline early":       {func(r *report) { r.late[0] = -time.Nanosecond }, "a call failed 1ns early"},
		"a wrong answer":         {func(r *report) { r.wrong, r.answered = 1, 7 }, "answer to another"},
		"a call not counted":     {func(r *report) { r.answered = 7 }, "10 calls begun, 9 ended"},
		"a broken connection":    {func(r *report) { r.failed, r.reason = 1, io.EOF }, "EOF"},
		"an arming without end":  {func(r *report) { r.armed = 11 }, "11 timeouts armed"},
		"an answer gone missing": {func(r *report) { r.dropped = 0 }, "9 answers sent"},
		"a timeout left behind":  {func(r *report) { r.left = 1 }, "outlived"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			require.ErrorContains(t, r.verdict(), tt.want)
		})
	}
}
