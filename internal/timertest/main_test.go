package timertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { VerifyMain(m) }

func TestHangIsReportedBeforeGoTestsTimeout(t *testing.T) {
	if IsOwnProcess(t) {
		t.Run("part", func(*testing.T) { hangHere() })
		return
	}
	t.Parallel()
	hanging := OwnProcess(t)
	hanging.Args = append(hanging.Args, "-test.timeout=3s")
	out, err := hanging.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "watchdog: the tests have not ended after 2.4s\n")
	assert.Contains(t, string(out), "--- FAIL: TestHangIsReportedBeforeGoTestsTimeout")
	assert.Contains(t, string(out), "timertest.hangHere(")
}

func hangHere() { time.Sleep(time.Minute) }
