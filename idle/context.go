package idle

import (
	"context"
	"net"
)

type connKey struct{}

// ConnContext returns a context in which [FromContext] finds the [Conn] c, or the Conn inside c if c
// is a wrapper such as *tls.Conn; ctx itself if there is none. Use it as the field ConnContext of an
// [net/http.Server] that serves a [NewListener]: then each handler finds the Conn of its request, and
// can suspend the idle time while it works.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	conn, ok := find[*Conn](c)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// FromContext returns the Conn that [ConnContext] has put into ctx, or false if there is none.
//
// The requests of one HTTP/2 connection share its Conn: a handler that sets the idle time again at
// its end sets it for handlers that still work. With HTTP/2 use the server's ConnState hook, which
// is called for the connection as a whole: suspend the idle time at StateActive, and set it again
// at StateIdle, on the Conn in ConnContext(context.Background(), c).
func FromContext(ctx context.Context) (*Conn, bool) {
	conn, ok := ctx.Value(connKey{}).(*Conn)
	return conn, ok
}
