package keyed_test

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// example returns a timer for an example, which neither waits nor depends on chance: a
// program has hashedwheel.MustNew(), and time passes by itself.
func example() (*hashedwheel.Timer, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	return hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{})), clock
}

func ExampleNew() {
	tm, clock := example()
	defer tm.Stop()

	codes := keyed.New(tm, func(email, code string) { fmt.Println("the code for", email, "is void") })
	if err := codes.Set("ada@example.org", "3141", 10*time.Minute); err != nil {
		fmt.Println(err) // the timer is stopped, or full
	}
	clock.Advance(10 * time.Minute)
	// Output: the code for ada@example.org is void
}

// A session that notes its last request. No request calls Touch.
type session struct {
	user string
	last atomic.Int64 // the time of the last request, in ns on the timer's clock
}

func (s *session) request(now time.Time) { s.last.Store(now.UnixNano()) }

// left returns how much of an idle time is left.
func (s *session) left(idle time.Duration, now time.Time) time.Duration {
	return idle - time.Duration(now.UnixNano()-s.last.Load())
}

func ExampleNewRenewing() {
	const idle = 30 * time.Minute
	tm, clock := example()
	defer tm.Stop()
	sessions := keyed.NewRenewing(tm,
		func(_ string, s *session) time.Duration { return s.left(idle, tm.Now()) },
		func(_ string, s *session) { fmt.Println(s.user, "has left") })

	ada := &session{user: "ada"}
	ada.request(tm.Now())
	_ = sessions.Set("c0ffee", ada, idle)
	clock.Advance(20 * time.Minute)
	ada.request(tm.Now()) // not through the map: ada's connection has the session
	clock.Advance(29 * time.Minute)
	fmt.Println(sessions.Len(), "is there")
	clock.Advance(time.Minute)
	// Output:
	// 1 is there
	// ada has left
}

func ExampleMap_Set() {
	tm, clock := example()
	defer tm.Stop()
	leases := keyed.New(tm, func(ip, host string) { fmt.Println(ip, "is free again") })

	_ = leases.Set("10.0.0.7", "printer", time.Hour)
	_ = leases.Set("10.0.0.7", "laptop", 2*time.Hour) // replaces value and time
	clock.Advance(time.Hour)
	fmt.Println(leases.Get("10.0.0.7"))
	clock.Advance(time.Hour)

	tm.Stop()
	fmt.Println(leases.Set("10.0.0.8", "phone", time.Hour))
	// Output:
	// laptop true
	// 10.0.0.7 is free again
	// hashedwheel: timer stopped
}

// A device that connects again replaces its older connection, which has to be closed.
func ExampleMap_Swap() {
	tm, clock := example()
	defer tm.Stop()
	conns := keyed.New(tm, func(device string, conn io.Closer) { conn.Close() })

	connected := func(device string, conn io.Closer) {
		old, loaded, err := conns.Swap(device, conn, time.Minute)
		switch {
		case err != nil:
			conn.Close() // the timer is stopped, or full: the map does not have it
		case loaded:
			old.Close()
		}
	}
	connected("sensor 7", line("first"))
	connected("sensor 7", line("second"))
	clock.Advance(time.Minute)
	tm.Stop()
	connected("sensor 7", line("third"))
	// Output:
	// first is closed
	// second is closed
	// third is closed
}

// A line is a connection that prints its end.
type line string

func (l line) Close() error {
	fmt.Println(string(l), "is closed")
	return nil
}

func ExampleMap_Get() {
	tm, clock := example()
	defer tm.Stop()
	cache := keyed.New(tm, func(string, int) {})

	_ = cache.Set("answer", 42, time.Minute)
	fmt.Println(cache.Get("answer"))
	clock.Advance(time.Minute)
	fmt.Println(cache.Get("answer"))
	// Output:
	// 42 true
	// 0 false
}

func ExampleMap_Touch() {
	tm, clock := example()
	defer tm.Stop()
	online := keyed.New(tm, func(user, _ string) { fmt.Println(user, "has left") })

	_ = online.Set("ada", "10.0.0.7", time.Minute)
	clock.Advance(50 * time.Second)
	fmt.Println(online.Touch("ada", time.Minute)) // a minute from now
	clock.Advance(59 * time.Second)
	fmt.Println(online.Len(), "is there")
	clock.Advance(time.Second)
	fmt.Println(online.Touch("ada", time.Minute))
	// Output:
	// 10.0.0.7 true
	// 1 is there
	// ada has left
	//  false
}

func ExampleMap_Deadline() {
	tm, clock := example()
	defer tm.Stop()
	leases := keyed.New(tm, func(string, string) {})

	_ = leases.Set("10.0.0.7", "printer", time.Hour)
	clock.Advance(20 * time.Minute)
	if at, ok := leases.Deadline("10.0.0.7"); ok {
		fmt.Println("renew within", at.Sub(tm.Now()))
	}
	// Output: renew within 40m0s
}

func ExampleMap_Delete() {
	tm, clock := example()
	defer tm.Stop()
	orders := keyed.New(tm, func(id int, _ string) { fmt.Println("order", id, "was not paid in time") })

	_ = orders.Set(7, "a book", time.Hour)
	if item, ok := orders.Delete(7); ok { // paid: it does not expire any more
		fmt.Println("send", item)
	}
	clock.Advance(time.Hour)
	_, ok := orders.Delete(7)
	fmt.Println(ok)
	// Output:
	// send a book
	// false
}

// A login code is used once, and only the newest of a user.
func ExampleMap_CompareAndDelete() {
	tm, _ := example()
	defer tm.Stop()
	codes := keyed.New(tm, func(string, string) {})

	_ = codes.Set("ada@example.org", "3141", 10*time.Minute)
	_ = codes.Set("ada@example.org", "2718", 10*time.Minute) // sent again
	for _, code := range []string{"3141", "2718", "2718"} {
		fmt.Println(code, codes.CompareAndDelete("ada@example.org", code))
	}
	// Output:
	// 3141 false
	// 2718 true
	// 2718 false
}

// One login code for each user: if the user requests another, the server sends the valid code again.
func ExampleMap_GetOrSet() {
	tm, clock := example()
	defer tm.Stop()
	codes := keyed.New(tm, func(string, string) {})

	for _, fresh := range []string{"3141", "2718"} {
		code, again, err := codes.GetOrSet("ada@example.org", fresh, 10*time.Minute)
		fmt.Println(code, again, err)
	}
	clock.Advance(10 * time.Minute)
	fmt.Println(codes.GetOrSet("ada@example.org", "1618", 10*time.Minute))
	// Output:
	// 3141 false <nil>
	// 3141 true <nil>
	// 1618 false <nil>
}

// The loop body may call any method, also Delete: no lock is held.
func ExampleMap_All() {
	tm, _ := example()
	defer tm.Stop()
	uploads := keyed.New(tm, func(string, int) {})
	_ = uploads.Set("photo", 100, time.Hour)
	_ = uploads.Set("film", 12, time.Hour)

	for name, percent := range uploads.All() {
		if percent == 100 {
			uploads.Delete(name)
			fmt.Println(name, "is done")
		}
	}
	fmt.Println(uploads.Len(), "under way")
	// Output:
	// photo is done
	// 1 under way
}

// After the timer's Stop no value expires any more. Drain closes the rest.
func ExampleMap_Drain() {
	tm, _ := example()
	conns := keyed.New(tm, func(addr string, _ int) { fmt.Println(addr, "was idle") })
	_ = conns.Set("10.0.0.7:4711", 1, time.Minute)

	tm.Stop()
	conns.Drain(func(addr string, _ int) { fmt.Println(addr, "is closed") })
	fmt.Println(conns.Len())
	// Output:
	// 10.0.0.7:4711 is closed
	// 0
}
