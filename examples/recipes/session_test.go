package recipes_test

import (
	"fmt"
	"math"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

const never = time.Duration(math.MaxInt64)

// A broker keeps the session of a client that has lost its connection, as MQTT's session expiry does.
type broker struct {
	sessions *keyed.Map[string, string]
}

// connect finds the session of an earlier connection, or makes one. A session with a connection does not expire.
func (b *broker) connect(client string) (resumed bool, err error) {
	if _, ok := b.sessions.Touch(client, never); ok {
		return true, nil
	}
	return false, b.sessions.Set(client, "subscriptions", never)
}

// disconnect has the session expire an hour from now.
func (b *broker) disconnect(client string) { b.sessions.Touch(client, time.Hour) }

// A session outlives its connection: Touch moves its end.
func Example_sessionOutlivesItsConnection() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	b := broker{keyed.New(tm, func(client, _ string) { fmt.Println("the session of", client, "has ended") })}

	fmt.Println(b.connect("sensor 7"))
	clock.Advance(24 * time.Hour)
	b.disconnect("sensor 7")
	clock.Advance(59 * time.Minute)
	fmt.Println(b.connect("sensor 7"))
	clock.Advance(24 * time.Hour)
	b.disconnect("sensor 7")
	clock.Advance(time.Hour)
	// Output:
	// false <nil>
	// true <nil>
	// the session of sensor 7 has ended
}
