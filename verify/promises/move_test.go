package promises

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// moves are the two ways to move a timeout to d from now.
var moves = map[string]func(to *hashedwheel.Timeout, d time.Duration) bool{
	"Move":   func(to *hashedwheel.Timeout, d time.Duration) bool { return to.Move(d) },
	"MoveAt": func(to *hashedwheel.Timeout, d time.Duration) bool { return to.MoveAt(to.Timer().Now().Add(d)) },
}

// Move and Reset agree about a pending timeout, in any form.
func TestMoveOfAPendingTimeoutChangesWhenItRuns(t *testing.T) {
	ways := map[string]func(to *hashedwheel.Timeout, d time.Duration) bool{
		"Reset":   func(to *hashedwheel.Timeout, d time.Duration) bool { return to.Reset(d) },
		"ResetAt": func(to *hashedwheel.Timeout, d time.Duration) bool { return to.ResetAt(time.Now().Add(d)) },
		"ResetAt of a wall time": func(to *hashedwheel.Timeout, d time.Duration) bool {
			return to.ResetAt(time.Now().Add(d).Round(0))
		},
	}
	maps.Copy(ways, moves)
	delays := []time.Duration{
		-time.Hour, 0, timertest.Tick / 2, timertest.Tick, 8 * timertest.Tick, 100*timertest.Tick + 1,
		time.Second, time.Minute, time.Hour, 100 * time.Hour,
	}
	for name, move := range ways {
		for _, d := range delays {
			t.Run(name+"/"+d.String(), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var log timertest.RunLog
					to := timertest.Owned(tm, &log)
					to.Reset(time.Minute)
					time.Sleep(10*time.Second + timertest.Tick/3)
					due := time.Now().Add(max(0, d))
					require.True(t, move(to, d))
					assert.Equal(t, 1, tm.Pending())
					time.Sleep(200 * time.Hour)
					synctest.Wait()
					require.Len(t, log.Times(), 1)
					assert.WithinRange(t, log.Times()[0], due, due.Add(timertest.Tick))
				}, hashedwheel.WithWheelSize(8))
			})
		}
	}
}

// A timeout that is not pending stays as it is, with its deadline and its error.
func TestMoveNeverArms(t *testing.T) {
	for state, prepare := range map[string]func(to *hashedwheel.Timeout){
		"Unarmed":           func(*hashedwheel.Timeout) {},
		"Expired":           func(to *hashedwheel.Timeout) { to.Reset(0); time.Sleep(time.Second) },
		"Canceled":          func(to *hashedwheel.Timeout) { to.Reset(time.Minute); to.Stop() },
		"Canceled by Timer": func(to *hashedwheel.Timeout) { to.Reset(time.Minute); to.Timer().Stop() },
		"Rejected, full": func(to *hashedwheel.Timeout) {
			to.Timer().AfterFunc(time.Minute, timertest.Nop)
			to.Reset(0)
		},
		"Rejected, stopped": func(to *hashedwheel.Timeout) { to.Timer().Stop(); to.Reset(time.Minute) },
	} {
		for name, move := range moves {
			t.Run(state+"/"+name, func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					var log timertest.RunLog
					to := timertest.Owned(tm, &log)
					prepare(to)
					before, runs, err, rejected := to.String(), log.Count(), to.Err(), tm.Stats().Rejected
					assert.False(t, move(to, time.Second))
					time.Sleep(time.Hour)
					assert.Equal(t, before, to.String())
					assert.Equal(t, runs, log.Count())
					assert.Equal(t, err, to.Err())
					assert.Equal(t, rejected, tm.Stats().Rejected)
				}, hashedwheel.WithMaxPending(1))
			})
		}
	}
}
