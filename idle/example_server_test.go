package idle_test

import (
	"fmt"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A server for every system closes connections that carry no data for two minutes.
func Example() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	l, err := net.Listen("tcp", ":7777")
	if err != nil {
		return
	}
	l = idle.NewListener(tm, l, 2*time.Minute)
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go greet(c) // after two silent minutes its Read returns idle.ErrIdle
	}
}

func greet(c net.Conn) {
	defer c.Close()
	var name string
	if _, err := fmt.Fscanln(c, &name); err == nil {
		fmt.Fprintln(c, "hello", name)
	}
}
