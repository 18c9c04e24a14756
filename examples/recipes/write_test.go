package recipes_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A member of a chat must read each message within a second. One goroutine writes to it.
type member struct {
	net.Conn
	limit hashedwheel.Timeout // of a Write
}

func newMember(tm *hashedwheel.Timer, c net.Conn) *member {
	m := &member{Conn: c}
	m.limit.InitFunc(tm, func() { c.Close() })
	return m
}

func (m *member) Write(b []byte) (int, error) {
	m.limit.Reset(time.Second)
	if err := m.limit.Err(); err != nil {
		return 0, err // full or stopped: nothing would end the Write
	}
	n, err := m.Conn.Write(b)
	if !m.limit.Stop() { // the connection is closed, although the Write may have ended just in time
		return n, errors.Join(os.ErrDeadlineExceeded, err)
	}
	return n, err
}

// A Timeout bounds each Write to a peer that may not read, without an allocation. A net.Conn also has SetWriteDeadline;
// connections whose Write takes a context have nothing else that allocates nothing. If another goroutine writes pings,
// give these their own Timeout: the Stop after a ping would take away the limit of a Write that is blocked.
func Example_write() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	server, client := net.Pipe()
	go client.Read(make([]byte, 100)) // the first message alone

	m := newMember(tm, server)
	n, err := m.Write([]byte("hello"))
	fmt.Println(n, err)
	_, err = m.Write([]byte("are you there?"))
	fmt.Println("too late:", errors.Is(err, os.ErrDeadlineExceeded))
	fmt.Println(tm.Pending(), "pending")
	// Output:
	// 5 <nil>
	// too late: true
	// 0 pending
}
