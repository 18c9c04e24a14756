//go:build unix

// Wasm has no UDP sockets.

package keyed_test

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Relay passes UDP datagrams on to a server, and the answers back. Each client has a flow, a separate socket
// towards the server, which is closed once nothing has been sent in either direction for flowTime.
type Relay struct {
	conn   *net.UDPConn // where the clients send
	server *net.UDPAddr
	flows  *keyed.Map[netip.AddrPort, *net.UDPConn]
}

const flowTime = time.Minute

func NewRelay(tm *hashedwheel.Timer, conn *net.UDPConn, server *net.UDPAddr) *Relay {
	forget := func(client netip.AddrPort, flow *net.UDPConn) { flow.Close() } // which ends its answer goroutine
	return &Relay{conn: conn, server: server, flows: keyed.New(tm, forget, keyed.WithName("flows"))}
}

// Run serves until the Relay's socket is closed. An empty datagram has n = 0, which is not the end.
func (r *Relay) Run() {
	defer r.flows.Drain(func(_ netip.AddrPort, flow *net.UDPConn) { flow.Close() })
	for b := make([]byte, 64<<10); ; {
		n, client, err := r.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		if flow, err := r.flow(client); err == nil { // otherwise the datagram is dropped
			_, _ = flow.Write(b[:n])
		}
	}
}

// flow finds or makes the flow of a client. Only Run calls it, so nobody else can make one in between.
func (r *Relay) flow(client netip.AddrPort) (*net.UDPConn, error) {
	if flow, ok := r.flows.Touch(client, flowTime); ok {
		return flow, nil
	}
	flow, err := net.DialUDP("udp", nil, r.server)
	if err != nil {
		return nil, err
	}
	if err := r.flows.Set(client, flow, flowTime); err != nil {
		flow.Close() // full: keep the number of sockets below a bound by WithMaxPending
		return nil, err
	}
	go r.answer(client, flow)
	return flow, nil
}

func (r *Relay) answer(client netip.AddrPort, flow *net.UDPConn) {
	for b := make([]byte, 64<<10); ; {
		n, err := flow.Read(b)
		if err != nil {
			if r.flows.CompareAndDelete(client, flow) { // the server refuses, and the flow was not idle
				flow.Close()
			}
			return
		}
		r.flows.Touch(client, flowTime)
		_, _ = r.conn.WriteToUDPAddrPort(b[:n], client)
	}
}

// A UDP relay forgets flows that are idle in both directions. The kernel does not time UDP flows, so both directions
// call Touch.
func Example_relay() {
	tm, clock := example()
	defer tm.StopAll()
	server, relay := loopback(), loopback()
	defer server.Close()
	r := NewRelay(tm, relay, server.LocalAddr().(*net.UDPAddr))
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run() }()
	client, err := net.DialUDP("udp", nil, relay.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return
	}
	defer client.Close()

	b := make([]byte, 100)
	fmt.Fprint(client, "subscribe")
	n, flow, _ := server.ReadFromUDPAddrPort(b)
	fmt.Printf("the server gets %q\n", b[:n])
	for range 3 { // the client is silent
		clock.Advance(50 * time.Second)
		_, _ = server.WriteToUDPAddrPort([]byte("news"), flow)
		n, _ = client.Read(b)
		fmt.Printf("the client gets %q\n", b[:n])
	}
	clock.Advance(flowTime)
	fmt.Println(r.flows)
	relay.Close()
	<-ended
	// Output:
	// the server gets "subscribe"
	// the client gets "news"
	// the client gets "news"
	// the client gets "news"
	// keyed.Map(flows, 0 keys)
}

func loopback() *net.UDPConn {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	return conn
}
