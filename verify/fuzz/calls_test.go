package fuzz

import (
	"context"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const maxEntries = 400

func (s *script) add(e *entry) *entry {
	e.id = len(s.entries)
	s.entries = append(s.entries, e)
	return e
}

// own makes a Timeout that the caller owns.
func (s *script) own() *entry {
	if len(s.entries) >= maxEntries {
		return s.entry()
	}
	e := s.add(&entry{to: new(hashedwheel.Timeout)})
	e.to.Init(s.timer, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
		if to != e.to {
			panic("the task got a timeout that is not its own")
		}
		s.task(e)
	}))
	return e
}

func (s *script) afterFunc(d int64) {
	if len(s.entries) >= maxEntries {
		s.reset(s.entry(), d)
		return
	}
	e := &entry{}
	e.to = s.timer.AfterFunc(time.Duration(d), func() { s.task(e) })
	s.log("AfterFunc", len(s.entries), d)
	_, err := s.model.arm(s.add(e), s.model.in(d), unbounded)
	s.told(err)
}

func (s *script) burst(n int, d int64) {
	if s.clock != onManual {
		d = max(d, s.model.tick) // otherwise the worker runs the first before the last is armed
	}
	for ; n > 0; n-- {
		s.afterFunc(d)
	}
}

func (s *script) schedule(d int64) {
	if len(s.entries) >= maxEntries {
		s.reset(s.entry(), d)
		return
	}
	e := &entry{}
	to, err := s.timer.Schedule(time.Duration(d), hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { s.task(e) }))
	s.log("Schedule", len(s.entries), d)
	_, want := s.model.arm(e, s.model.in(d), bounded)
	s.told(want)
	s.check(err == want, "Schedule: %v, want %v", err, want)
	s.check((to == nil) == (err != nil), "Schedule: %v with error %v", to, err)
	if e.to = to; to != nil {
		s.add(e)
	}
}

func (s *script) reset(e *entry, d int64) { s.rearm('R', e, d) }

// rearm makes the call of a letter: R, M and C with a delay, t, v and c with a deadline, in ns since the start.
func (s *script) rearm(call byte, e *entry, d int64) {
	s.log(string(rune(call)), e.id, d)
	delay, at, deadline := time.Duration(d), s.start.Add(time.Duration(d)), d
	var got, want any
	switch call {
	case 'R':
		got = e.to.Reset(delay)
	case 't':
		got = e.to.ResetAt(at)
	case 'M':
		got = e.to.Move(delay)
	case 'v':
		got = e.to.MoveAt(at)
	case 'C':
		got = e.to.Arm(delay)
	case 'c':
		got = e.to.ArmAt(at)
	}
	if call < 'a' {
		deadline = s.model.in(d)
	}
	var err error
	switch call {
	case 'M', 'v':
		want = s.model.move(e, deadline)
	case 'C', 'c':
		_, err = s.model.arm(e, deadline, bounded)
		want = err
	default:
		want, err = s.model.arm(e, deadline, unbounded)
	}
	s.told(err)
	s.check(got == want, "%c: %v, want %v", call, got, want)
}

func (s *script) told(err error) {
	if err != nil {
		s.refused++
	}
}

func (s *script) stop(e *entry) {
	s.log("Stop", e.id, 0)
	got, want := e.to.Stop(), s.model.stop(e)
	s.check(got == want, "Stop: %v, want %v", got, want)
	if got {
		s.stopped++
	}
}

// ended is a context that Shutdown does not wait in.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// stopTimer stops the timer, with Stop or Shutdown.
func (s *script) stopTimer() {
	want := s.model.stopAll()
	var got []*hashedwheel.Timeout
	if s.byte()&1 == 0 {
		got = s.timer.StopAll()
	} else {
		got, _ = s.timer.Shutdown(ended)
		got = append(got, s.timer.StopAll()...) // the rest, if the end of the context has cut Shutdown short
	}
	s.log("Timer.StopAll", -1, int64(len(got)))
	s.returned += len(got)
	s.check(len(got) == len(want), "Timer.StopAll: %d timeouts, want %d", len(got), len(want))
	for _, e := range want {
		s.check(slices.Contains(got, e.to), "Timer.StopAll did not return %v", *e)
	}
	s.check(len(s.timer.StopAll()) == 0, "a second Stop returned something")
}
