package timertest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// VerifyMain is goleak.VerifyTestMain for busy machines: goroutines that are about to end have twenty seconds, and
// not half of one. It reports tests that hang before go test's timeout does.
func VerifyMain(m *testing.M) {
	flag.Parse()
	if !isSet("bench") && !isSet("fuzz") { // to which the timeout does not apply
		watchTests(flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration) * 4 / 5)
	}
	goleak.VerifyTestMain(patient{m})
}

func isSet(name string) bool { return flag.Lookup("test."+name).Value.String() != "" }

type patient struct{ *testing.M }

// Run runs the tests, and then waits while goroutines are left over.
func (m patient) Run() (status int) {
	status = m.M.Run()
	for end := time.Now().Add(20 * time.Second); status == 0 && goleak.Find() != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return status
}

// watchTests ends the process after limit, if there is one, with the names of the tests that run then and the stacks
// of all goroutines.
func watchTests(limit time.Duration) {
	if limit <= 0 {
		return
	}
	time.AfterFunc(limit, func() {
		stacks := stacks()
		fmt.Printf("watchdog: the tests have not ended after %v\n", limit)
		top := regexp.MustCompile(`\.(Test\w+)[^\n]*\n[^\n]*\ntesting\.tRunner\(`) // what testing calls
		for _, call := range top.FindAllSubmatch(stacks, -1) {
			fmt.Printf("--- FAIL: %s (still runs)\n", call[1])
		}
		fmt.Printf("\n%s\nFAIL\n", stacks)
		os.Exit(1)
	})
}
