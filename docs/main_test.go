package docs

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hashedwheel/hashedwheel"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashedwheel/hashedwheel.(*worker).work"))
}

// It has something pending when TestMain looks for goroutines that are left over.
var forTheProcess = hashedwheel.MustNew()

func TestTimerOfTheProcessIsIgnoredByGoleak(t *testing.T) {
	forTheProcess.AfterFunc(24*time.Hour, func() {})
}
