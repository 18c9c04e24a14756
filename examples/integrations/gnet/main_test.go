package main

import (
	"io"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
)

func TestRunClosesTheSilentAndKeepsTheTalking(t *testing.T) {
	out := exampletest.Output(t, run, "-clients 20 -idle 1s -tick 5ms -duration 3s")
	require.Regexp(t, `closed as idle +1\d`, out)
	require.Regexp(t, `timeouts moved +\d{2,}`, out)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-clients 1":   "-clients 1",
		"-idle 1ms":    "-idle 1ms",
		"-tick 99us":   "-tick 99µs",
		"-duration 1h": "-duration 1h",
		"-idle 2s":     "-idle 2s",
	})
	require.Zero(t, run([]string{"-h"}, io.Discard, io.Discard), "help is no error")
}

func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		closed     []time.Duration
		kept, left int
		want       string // in the error; none if empty
	}{
		"all is well":          {[]time.Duration{0}, 1, 0, ""},
		"a connection is gone": {[]time.Duration{0}, 0, 0, "2 clients, but 1 connections ended"},
		"not closed":           {nil, 2, 0, "1 clients fell silent, but 0"},
		"early":                {[]time.Duration{-1}, 1, 0, "1ns early"},
		"left behind":          {[]time.Duration{0}, 1, 1, "1 timeouts outlived"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &server{timer: hashedwheel.MustNew(), closed: tt.closed, kept: tt.kept}
			exampletest.Error(t, s.verdict(2, tt.left), tt.want)
		})
	}
}
