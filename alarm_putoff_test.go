package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A producer may set a run by the rate that a run in progress is about to change. Then the timer fires before the tick
// to which the run is put off by then, and is set again.
func TestRunThatIsPutOffOnceItsTimerIsSetIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(WithTick(10*time.Millisecond)), false
		tm.AfterFunc(13*time.Millisecond, func() { ran = true })
		tm.alarm.allowed.Store(int64(time.Hour))
		time.Sleep(20*time.Millisecond - 1)
		synctest.Wait()
		assert.False(t, ran)
		time.Sleep(1)
		synctest.Wait()
		assert.True(t, ran)
	})
}
