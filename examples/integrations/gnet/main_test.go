package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

func TestRunClosesTheSilentAndKeepsTheTalking(t *testing.T) {
	var stdout, stderr strings.Builder
	status := run(strings.Fields("-clients 20 -idle 300ms -tick 5ms -duration 900ms"), &stdout, &stderr)
	require.Empty(t, stderr.String())
	require.Zero(t, status)
	require.Regexp(t, `closed as idle +1\d`, stdout.String())
	require.Regexp(t, `timeouts moved +\d{2,}`, stdout.String())
}

func TestWrongFlagsAreNamed(t *testing.T) {
	tests := []struct{ flags, want string }{
		{"-clients 1", "-clients 1"},
		{"-idle 1ms", "-idle 1ms"},
		{"-tick 99us", "-tick 99µs"},
		{"-duration 1h", "-duration 1h"},
		{"-idle 2s", "-idle 2s"},
	}
	for _, tt := range tests {
		t.Run(tt.flags, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, 2, run(strings.Fields(tt.flags), io.Discard, &stderr))
			require.Contains(t, stderr.String(), tt.want)
		})
	}
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
		"forgotten":            {nil, 2, 0, "1 clients fell silent, but 0"},
		"early":                {[]time.Duration{-1}, 1, 0, "1ns early"},
		"left behind":          {[]time.Duration{0}, 1, 1, "1 timeouts outlived"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &server{timer: hashedwheel.MustNew(), closed: tt.closed, kept: tt.kept}
			err := s.verdict(2, tt.left)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
