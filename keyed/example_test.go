package keyed_test

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// example returns a timer for an example that neither waits nor depends on chance. A real program calls
// hashedwheel.MustNew, and time passes by itself.
func example() (*hashedwheel.Timer, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(time.Now())
	return hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{})), clock
}

func ExampleNew() {
	tm, clock := example()
	defer tm.StopAll()

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
	defer tm.StopAll()
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
	defer tm.StopAll()
	leases := keyed.New(tm, func(ip, host string) { fmt.Println(ip, "is free again") })

	_ = leases.Set("10.0.0.7", "printer", time.Hour)
	_ = leases.Set("10.0.0.7", "laptop", 2*time.Hour) // replaces value and time
	clock.Advance(time.Hour)
	fmt.Println(leases.Get("10.0.0.7"))
	clock.Advance(time.Hour)

	tm.StopAll()
	fmt.Println(leases.Set("10.0.0.8", "phone", time.Hour))
	// Output:
	// laptop true
	// 10.0.0.7 is free again
	// hashedwheel: timer stopped
}

// A device that connects again replaces its older connection, which has to be closed.
func ExampleMap_Swap() {
	tm, clock := example()
	defer tm.StopAll()
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
	tm.StopAll()
	connected("sensor 7", line("third"))
	// Output:
	// first is closed
	// second is closed
	// third is closed
}

// A line is a connection that prints when it is closed.
type line string

func (l line) Close() error {
	fmt.Println(string(l), "is closed")
	return nil
}

// A session ends half an hour after its last request.
func ExampleMap_Touch() {
	tm, clock := example()
	defer tm.StopAll()
	sessions := keyed.New(tm, func(_, user string) { fmt.Println(user, "has left") }, keyed.WithName("sessions"))

	_ = sessions.Set("c0ffee", "ada", 30*time.Minute)
	clock.Advance(20 * time.Minute)
	fmt.Println(sessions.Touch("c0ffee", 30*time.Minute)) // a request: 30 minutes from now
	clock.Advance(29 * time.Minute)
	fmt.Println(sessions)
	clock.Advance(time.Minute)
	fmt.Println(sessions.Touch("c0ffee", 30*time.Minute))
	// Output:
	// ada true
	// keyed.Map(sessions, 1 key)
	// ada has left
	//  false
}

func ExampleMap_Delete() {
	tm, clock := example()
	defer tm.StopAll()
	orders := keyed.New(tm, func(id int, _ string) { fmt.Println("order", id, "was not paid in time") })

	_ = orders.Set(7, "a book", time.Hour)
	if item, ok := orders.Delete(7); ok { // paid: it no longer expires
		fmt.Println("send", item)
	}
	clock.Advance(time.Hour)
	_, ok := orders.Delete(7)
	fmt.Println(ok)
	// Output:
	// send a book
	// false
}

// A login code works once, and only the user's newest.
func ExampleMap_CompareAndDelete() {
	tm, _ := example()
	defer tm.StopAll()
	codes := keyed.New[string, string](tm, nil) // nobody needs to know that a code has expired

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

// A queue delivers each message at least once, and consumers in several goroutines act on it once. The time counts from
// the first delivery: a message that is repeated forever is let through every five minutes. If seen messages were
// touched, each repetition would start the time again.
func ExampleMap_GetOrSet() {
	tm, clock := example()
	defer tm.StopAll()
	messages := keyed.New[string, struct{}](tm, nil, keyed.WithName("messages seen"))

	var acts atomic.Int32
	consume := func() {
		for n := range 1000 {
			_, seen, err := messages.GetOrSet(fmt.Sprint("m", n), struct{}{}, 5*time.Minute)
			if err == nil && !seen {
				acts.Add(1)
			}
		}
	}
	var consumers sync.WaitGroup
	for range 4 {
		consumers.Go(consume)
	}
	consumers.Wait()
	fmt.Println("delivered 4000, acted on", acts.Load())

	clock.Advance(5 * time.Minute)
	fmt.Println(messages)
	// Output:
	// delivered 4000, acted on 1000
	// keyed.Map(messages seen, 0 keys)
}

// The loop body may call any method, including Delete: no lock is held.
func ExampleMap_All() {
	tm, _ := example()
	defer tm.StopAll()
	uploads := keyed.New[string, int](tm, nil)
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

// After Timer.StopAll, no more values expire. Drain closes the rest.
func ExampleMap_Drain() {
	tm, _ := example()
	conns := keyed.New(tm, func(addr string, _ int) { fmt.Println(addr, "was idle") })
	_ = conns.Set("10.0.0.7:4711", 1, time.Minute)

	tm.StopAll()
	conns.Drain(func(addr string, _ int) { fmt.Println(addr, "is closed") })
	fmt.Println(conns.Len())
	// Output:
	// 10.0.0.7:4711 is closed
	// 0
}
