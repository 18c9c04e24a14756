package timertest

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// VerifyMain is goleak.VerifyTestMain for busy machines: goroutines that are about to end have twenty seconds, not half
// a second.
func VerifyMain(m *testing.M) { goleak.VerifyTestMain(patient{m}, ofRuntime) }

// ofRuntime ignores the goroutine in which js runs its events: no other goroutine shows the runtime's frames.
var ofRuntime = goleak.IgnoreTopFunction("runtime.gopark")

type patient struct{ *testing.M }

// Run runs the tests, and then waits while goroutines are left over.
func (m patient) Run() (status int) {
	status = m.M.Run()
	end := time.Now().Add(20 * time.Second)
	for status == 0 && goleak.Find(ofRuntime) != nil && time.Now().Before(end) {
		time.Sleep(10 * time.Millisecond)
	}
	return status
}
