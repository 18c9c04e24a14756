package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

func TestHistoriesKeepThePromises(t *testing.T) {
	for name, args := range map[string][]string{
		"of the library as it is":          {"-for", "5s"},
		"of the library with windows wide": {"-for", "5s", "-wide"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.Zero(t, command(args, &out), "%s", &out)
			t.Logf("\n%s", &out)
		})
	}
}

// Histories in which nothing overlapped, or nothing happened, would prove nothing.
func TestHistoriesAreNotTrivial(t *testing.T) {
	all := newSummary()
	for i, k := range kinds {
		of := newSummary()
		for n := range uint64(200) {
			h := carryOut(makePlan(i, n), n, 10*time.Second)
			v := check(h.events, h.plan.maxPending)
			of.add(h, v)
			all.add(h, v)
		}
		assert.NotZero(t, of.expired, k.name)
		assert.NotZero(t, of.stopped+of.returned, k.name)
	}
	if runtime.GOMAXPROCS(0) > 1 {
		assert.NotZero(t, all.overlaps, "calls that overlapped")
	}
	assert.NotZero(t, all.close, "expiries with calls close by")
	assert.NotZero(t, all.unordered, "histories that are not as good as sequential")
	assert.NotZero(t, all.moved)
	assert.NotZero(t, all.refused)
	assert.Zero(t, all.undecided)
}

func TestDumpListsCallsWithoutAPlace(t *testing.T) {
	v := check([]event{
		during(0, 9000, arms(100_000)), of(1, during(0, 9000, arms(100_000))),
		during(50_000, 59_000, stops()), runs(110_000), of(1, runs(120_000)),
	}, 0)
	require.True(t, v.isViolation())
	var out strings.Builder
	v.dump(&out, 0)
	_, rest, _ := strings.Cut(out.String(), "none of these can be next:")
	assert.Contains(t, rest, "110.000  the worker timeout 0: its task began")
	assert.NotContains(t, out.String(), "timeout 1", "its part is as it should be")
}

func TestFaultsAreViolations(t *testing.T) {
	assert.True(t, check(nil, 0, "Shutdown timed out").isViolation())
	assert.False(t, check(nil, 0).isViolation())
}

func TestTimerStopReturnsNoForeignTimeout(t *testing.T) {
	h := &history{returned: []returned{{event{what: timerStop}, []*hashedwheel.Timeout{{}}}}}
	h.seal()
	assert.NotEmpty(t, h.faults)
}

func TestCommandRefusesUnknownArguments(t *testing.T) {
	var out strings.Builder
	assert.Equal(t, 2, command([]string{"-kind", "nonsense"}, &out))
	assert.Equal(t, 2, command([]string{"-nonsense"}, &out))
}
