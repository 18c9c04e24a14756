package main

import (
	"strings"
	"testing"

	"github.com/hashedwheel/hashedwheel/examples/internal/exampletest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScrapedMetricsMatchTheWork(t *testing.T) {
	out := exampletest.Output(t, run, "-timeouts 200 -duration 300ms")
	require.Contains(t, out, `hashedwheel_timeouts_ended_total{outcome="expired",timer="calls"}`)
}

func TestWrongFlagsAreNamed(t *testing.T) {
	exampletest.WrongFlags(t, run, map[string]string{
		"-timeouts 99": "-timeouts 99",
		"-duration 0s": "-duration 0s",
		"-duration 1h": "-duration 1h",
	})
}

func TestVerdictNamesWrongMetrics(t *testing.T) {
	l := load{name: "test", armed: 4, canceled: 2}
	metrics := strings.NewReplacer("pending{timer=\"test\"} 5", "pending{timer=\"test\"} 0",
		`"rejected",timer="test"} 1`, `"rejected",timer="test"} 0`).Replace(usedMetrics)
	require.NoError(t, l.verdict(metrics))

	require.ErrorContains(t, l.verdict(usedMetrics), `no "hashedwheel_timeouts_pending{timer=\"test\"} 0"`)
	l.armed++
	require.ErrorContains(t, l.verdict(metrics), "expired")
}
