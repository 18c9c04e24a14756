// Package websocket bounds each Write of a github.com/coder/websocket connection, without an allocation.
package websocket

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/hashedwheel/hashedwheel"
)

// A Conn is closed if a Write takes too long, as it is when the context of a Write ends. It is safe for concurrent use,
// and must not be copied.
type Conn struct {
	*websocket.Conn
	writing sync.Mutex
	timeout time.Duration
	limit   hashedwheel.Timeout // of the Write that holds writing
}

// NewConn returns a Conn. CloseNow may block, so the Timer needs the default executor.
func NewConn(tm *hashedwheel.Timer, c *websocket.Conn, timeout time.Duration) *Conn {
	conn := &Conn{Conn: c, timeout: timeout}
	conn.limit.InitFunc(tm, func() { _ = c.CloseNow() })
	return conn
}

// Write sends a message. Ping still needs a context. It must not share this Timeout, since its Stop would remove the
// limit of a Write that is blocked.
func (c *Conn) Write(typ websocket.MessageType, p []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.limit.Arm(c.timeout); err != nil {
		return err // the Timer is stopped or full: nothing would end the Write
	}
	err := c.Conn.Write(context.Background(), typ, p)
	if !c.limit.Stop() { // the connection is closed, even if the Write ended just in time
		return errors.Join(os.ErrDeadlineExceeded, err)
	}
	return err
}
