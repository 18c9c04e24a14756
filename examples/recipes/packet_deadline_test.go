package recipes_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A flow fails its Read once no packet has been received for a minute, as SetReadDeadline before each Read would.
type flow struct {
	net.Conn
	silent hashedwheel.Timeout
}

func newFlow(tm *hashedwheel.Timer, c net.Conn) (*flow, error) {
	f := &flow{Conn: c}
	if err := f.silent.Init(tm, (*silence)(f)).Arm(time.Minute); err != nil {
		return nil, err // the Timer is stopped or full: nothing would end Read
	}
	return f, nil
}

func (f *flow) Read(b []byte) (int, error) {
	n, err := f.Conn.Read(b)
	if err == nil {
		f.silent.Move(time.Minute) // where a program without a wheel calls SetReadDeadline
	}
	return n, err
}

func (f *flow) Close() error {
	f.silent.Stop()
	return f.Conn.Close()
}

// silence is flow as the task of its Timeout. A deadline in the past ends a blocked Read, and all later ones.
type silence flow

func (s *silence) Run(*hashedwheel.Timeout) { s.SetReadDeadline(time.Unix(1, 0)) }

// A read deadline that each packet moves, with the errors of SetReadDeadline. The system's deadline is set once, by the
// task. To read on after the error, clear that deadline, and arm the Timeout again.
func Example_packetDeadline() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	here, there := net.Pipe()
	f, err := newFlow(tm, here)
	if err != nil {
		return
	}
	defer f.Close()
	read := func() {
		n, err := f.Read(make([]byte, 1500))
		fmt.Println(n, "bytes,", errors.Is(err, os.ErrDeadlineExceeded), err)
	}

	go fmt.Fprint(there, "a packet")
	clock.Advance(50 * time.Second)
	read()
	go fmt.Fprint(there, "a packet")
	clock.Advance(50 * time.Second)
	read()
	go clock.Advance(time.Minute)
	read()

	f.SetReadDeadline(time.Time{})
	f.silent.Reset(time.Minute)
	go fmt.Fprint(there, "a packet")
	read()
	// Output:
	// 8 bytes, false <nil>
	// 8 bytes, false <nil>
	// 0 bytes, true read pipe: i/o timeout
	// 8 bytes, false <nil>
}
