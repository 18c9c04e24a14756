package recipes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A conn is closed after a minute without a read.
type conn struct {
	closed bool
	idle   hashedwheel.Timeout
}

func (c *conn) close() { c.closed = true }

// expiry is conn as the task of its Timeout. The conversion of a *conn to an *expiry, and to a Task, allocates nothing.
// The page of package inspect shows the type's name, unless it has a method TaskName. A second Timeout in the struct
// takes a second type.
type expiry conn

func (e *expiry) Run(*hashedwheel.Timeout) { (*conn)(e).close() }

// A method value, such as c.close, is an allocation, and so is a function literal that uses c.
func Example_noMethodValue() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))

	const runs = 100
	conns := make([]conn, 2*(runs+1)) // AllocsPerRun calls its function once more, first
	next := func() (c *conn) {
		c, conns = &conns[0], conns[1:]
		return c
	}
	last := &conns[len(conns)-1]
	fmt.Println("method value:", testing.AllocsPerRun(runs, func() {
		c := next()
		c.idle.InitFunc(tm, c.close).Reset(time.Minute)
	}), "allocation")
	fmt.Println("expiry:", testing.AllocsPerRun(runs, func() {
		c := next()
		c.idle.Init(tm, (*expiry)(c)).Reset(time.Minute)
	}), "allocations")
	clock.Advance(time.Minute)
	fmt.Println("closed:", last.closed)
	// Output:
	// method value: 1 allocation
	// expiry: 0 allocations
	// closed: true
}
