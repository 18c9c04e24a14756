package idle

import "net"

// describe returns the addresses and the state of a connection, for logs, without a race.
func (l *limit) describe(kind string, c net.Conn) string {
	s := l.setting.Load()
	if s == nil {
		return kind + "(not in use)"
	}
	state := ""
	switch s {
	case none:
		state = "no idle time"
	case ended:
		state = "ended"
	case reached:
		state = "was idle"
	default:
		state = s.d.String()
	}
	local, remote := c.LocalAddr(), c.RemoteAddr()
	return kind + "(" + network(local) + " " + address(local) + "->" + address(remote) + ", " + state + ")"
}

func network(a net.Addr) string {
	if a == nil {
		return "?"
	}
	return a.Network()
}

func address(a net.Addr) string {
	if a == nil {
		return "?"
	}
	return a.String()
}
