package main

import "time"

// program is other people's, with our load in loads/NAME.
type program struct {
	name   string
	module string          // to swap or port
	port   bool            // by ports/NAME.ed
	own    bool            // the load chooses the port: the program's hook, or package keyed in its place
	noSwap string          // why its timers are not swapped
	ticks  []time.Duration // of the swapped and ported program; 10 ms if there are none
	load   string          // in a line
	feels  string          // the subject of P50, P99 and P99.9
}

const ms = time.Millisecond

var programs = []program{
	{name: "workqueue", module: "k8s.io/client-go", port: true, noSwap: "its timers come from k8s.io/utils/clock", ticks: []time.Duration{10 * ms, ms},
		load: "client-go's delaying workqueue, 40,000 items, each put back for 0 to 2 s", feels: "how late an item is taken"},
	{name: "ttlcache", module: "github.com/jellydator/ttlcache/v3", own: true, noSwap: "it has one timer, and a heap of its own", ticks: []time.Duration{100 * ms},
		load: "ttlcache, 300,000 sessions, 100,000 reads and writes a second; ported: keyed in its place", feels: "a read or write"},
	{name: "centrifuge", module: "github.com/centrifugal/centrifuge", own: true, ticks: []time.Duration{10 * ms, 100 * ms},
		load: "centrifuge, 20,000 clients pinged once a second; ported: by its own hook", feels: "how late a ping is"},
	{name: "raft", module: "github.com/hashicorp/raft", port: true,
		load: "hashicorp/raft, 200 groups of three, 500 commands a second", feels: "a command"},
	{name: "rate", module: "golang.org/x/time", port: true, ticks: []time.Duration{10 * ms, ms},
		load: "x/time/rate, 10,000 goroutines in Wait, ten times a second each", feels: "how late Wait returns"},
	{name: "yamux", module: "github.com/hashicorp/yamux", port: true,
		load: "yamux, 100 streams, 10,000 requests a second, a deadline for each read", feels: "a request"},
	{name: "wireguard", module: "golang.zx2c4.com/wireguard", port: true,
		load: "wireguard-go, 8,000 packets a second and their echo", feels: "a packet and its echo"},
	{name: "sipgo", module: "github.com/emiago/sipgo",
		load: "sipgo, 1,000 transactions a second (the control: nothing is to be gained)", feels: "a transaction"},
	{name: "quic", module: "github.com/quic-go/quic-go", ticks: []time.Duration{ms},
		load: "quic-go, 20 connections, 2,000 requests a second", feels: "a request"},
	{name: "sctp", module: "github.com/pion/sctp",
		load: "pion/sctp, 20 associations, 2,000 messages a second and their echo", feels: "a message and its echo"},
	{name: "grpc", module: "google.golang.org/grpc",
		load: "grpc-go, 10 connections, 2,000 calls a second, a deadline each", feels: "a call"},
	{name: "nats", module: "github.com/nats-io/nats-server/v2",
		load: "nats-server, 10 connections, 4,000 requests a second, a timeout each", feels: "a request"},
}
