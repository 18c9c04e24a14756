package recipes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A job is its own Task, so Timeout.Task returns the job.
type job struct{ name string }

func (j *job) Run(*hashedwheel.Timeout) { fmt.Println(j.name, "runs") }

// At the end of a program, jobs that have not begun are returned to their source. The result of Shutdown also has the
// Timeouts of keyed, idle and Series, whose Task is nil.
func Example_jobs() {
	tm := hashedwheel.MustNew()
	tm.Every(time.Minute, func(*hashedwheel.Series) {})
	for _, name := range []string{"mail", "invoice"} {
		if _, err := tm.Schedule(time.Hour, &job{name}); err != nil {
			fmt.Println(name, "goes back:", err)
		}
	}

	left, err := tm.Shutdown(context.Background())
	for _, to := range left {
		if j, ok := to.Task().(*job); ok {
			fmt.Println(j.name, "goes back")
		}
	}
	fmt.Println(err)
	// Unordered output:
	// mail goes back
	// invoice goes back
	// <nil>
}
