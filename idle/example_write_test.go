package idle_test

import (
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A member of a chat may be silent for a minute, but must read the others' words soon. One goroutine
// writes to it.
type member struct {
	net.Conn
	write hashedwheel.Timeout
}

func (m *member) Write(p []byte) (int, error) {
	m.write.Reset(time.Second)
	if err := m.write.Err(); err != nil {
		return 0, err // hashedwheel.ErrFull or ErrStopped: nothing would end the Write
	}
	defer m.write.Stop()
	return m.Conn.Write(p)
}

// Run is called when a Write has taken too long.
func (m *member) Run(*hashedwheel.Timeout) { m.Close() }

// A peer that reads nothing is dropped, even if it still sends and so is not idle.
func Example_writeTimeout() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	server, client := connected()
	defer client.Close()

	conn, err := idle.NewConn(tm, server, time.Minute)
	if err != nil {
		return // hashedwheel.ErrFull or ErrStopped
	}
	m := &member{Conn: conn}
	m.write.Init(tm, m)
	_, err = m.Write([]byte("hello\n"))
	fmt.Println("a word:", err)
	_, err = m.Write(make([]byte, 64<<20)) // more than the kernel buffers
	fmt.Println("a flood was cut short:", err != nil)
	tm.Stop()
	_, err = m.Write([]byte("bye\n"))
	fmt.Println("a Write without a bound:", err)
	// Output:
	// a word: <nil>
	// a flood was cut short: true
	// a Write without a bound: hashedwheel: timer stopped
}
