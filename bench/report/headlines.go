package report

import "strings"

// A headline is a line of a summary: one figure of one case, for one of our variants.
type headline struct {
	text  string // %s is the case
	load  string
	nth   int    // case of the load; -1 is the last
	part  string // beginning of the name of the case, in place of nth
	ours  string
	is    func(figure string) bool // the last that matches
	rival string                   // the other side; "" is package time and the best of all others
	while string                   // a figure in which the best must not be worse than package time
}

// named matches a figure by its name. The last match of allCPUs is the figure with
// the most goroutines.
func named(name string) func(string) bool { return func(figure string) bool { return figure == name } }

func allCPUs(figure string) bool { return strings.Contains(figure, "goroutine") }

// headlines begin with the questions of a timer's three kinds of users; cost and
// lateness follow.
var headlines = []headline{
	{text: "arm a new timeout and stop it, %s", load: "arm", ours: ours, is: allCPUs},
	{text: "… %s", load: "arm", nth: -1, ours: ours, is: allCPUs},
	{text: "re-arm an owned timeout and stop it", load: "rearm", ours: ours, is: allCPUs},
	{text: "… with `ResetAt`, the clock already read", load: "rearm", ours: ours + "-resetat", is: allCPUs},
	{text: "move %s", load: "move", ours: ours, is: allCPUs},
	{text: "… with `ResetAt`", load: "move", ours: ours + "-resetat", is: allCPUs},
	{text: "move %s", load: "move", nth: 1, ours: ours, is: allCPUs},
	{text: "move %s, CPU", load: "move", nth: -1, ours: ours, is: named("CPU")},
	{text: "%s, CPU", load: "fire", nth: -1, ours: ours, is: named("CPU")},
	{text: "… with `Inline`", load: "fire", nth: -1, ours: ours + "-inline", is: named("CPU")},
	{text: "%s: late, p50", load: "expire", ours: ours, is: named("late p50")},
	{text: "… p99", load: "expire", ours: ours, is: named("late p99")},
	{text: "deadlines armed and stopped 5 ms later, a second", load: "rpc", ours: ours, is: named("calls")},
	{text: "… slowest arming in a thousand", load: "rpc", ours: ours, is: named("arming p99.9"), while: "calls"},
	{text: "… the same with the timeouts of answered calls used again", load: "reuse", ours: ours, is: named("calls")},
	{text: "%s: CPU", load: "steady", nth: -1, ours: ours, is: named("CPU")},
	{text: "… peak heap", load: "steady", nth: -1, ours: ours, is: named("peak heap")},
	{text: "arming every 10 µs, %s: slowest in a hundred", load: "due", ours: ours, is: named("arming p99")},
	{text: "… slowest in a thousand", load: "due", ours: ours, is: named("arming p99.9")},
	{text: "memory of a pending timeout, without its function", load: "memory", ours: ours, is: named("a timeout")},
	{text: "%s: still held", load: "memory", nth: -1, ours: ours, is: named("held by the stopped")},
	{text: "marking at a collection, %s", load: "collector", ours: ours, is: named("marking")},
	{text: "… %s", load: "collector", nth: 1, ours: ours, is: named("marking")},
	{text: "share of a core with very many far, %s", load: "idle", ours: ours, is: farAway},
	{text: "everything mixed, %s: CPU", load: "mixed", ours: ours, is: named("CPU")},
	{text: "storm of %s: calls a second", load: "storm", part: "24 goroutines, new, tick 10ms", ours: ours, is: named("calls")},
	{text: "… heartbeat late, p99", load: "storm", part: "24 goroutines, new, tick 10ms", ours: ours, is: named("heartbeat late p99")},
	{text: "lateness at a tick of 1 ms, p50", load: "late", ours: ours, is: named("p50")},
	{text: "… p99", load: "late", ours: ours, is: named("p99")},
	{text: "… beside busy producers, p50", load: "late", nth: -1, ours: ours, is: named("p50")},
	{text: "… beside busy producers, p99", load: "late", nth: -1, ours: ours, is: named("p99")},
}

// farAway matches the last figure of the load idle: 1M far.
func farAway(figure string) bool { return strings.HasSuffix(figure, " far") && figure != "one far" }

// againstNetty are the loads of Netty, at the same tick for both.
func againstNetty() (all []headline) {
	for _, tick := range []string{"1ms", "10ms", "100ms"} {
		us, them := ours+"-"+tick, "netty-"+tick
		all = append(all,
			headline{text: "tick of " + tick + ": arm a new timeout and stop it, %s", load: "arm", ours: us, is: allCPUs, rival: them},
			headline{text: "… %s", load: "arm", nth: -1, ours: us, is: allCPUs, rival: them},
			headline{text: "… %s, CPU", load: "fire", nth: -1, ours: us, is: named("CPU"), rival: them},
			headline{text: "… deadlines armed and stopped 5 ms later, a second", load: "rpc", ours: us, is: named("calls"), rival: them},
			headline{text: "… slowest arming in a thousand", load: "rpc", ours: us, is: named("arming p99.9"), rival: them},
		)
	}
	return all
}

// againstDeadlines are servers, which usually call SetReadDeadline.
func againstDeadlines() (all []headline) {
	for _, load := range []string{"echo", "http"} {
		for _, us := range []string{ours, "idle-conn", "idle-watch"} {
			all = append(all,
				headline{text: load + ", %s, " + us + ": CPU a request", load: load, nth: -1, ours: us, is: named("CPU a request"), rival: "std-conn"},
				headline{text: "… slowest answer in a thousand", load: load, nth: -1, ours: us, is: named("answer p99.9"), rival: "std-conn"},
				headline{text: "… memory of a connection", load: load, nth: -1, ours: us, is: named("a connection"), rival: "std-conn"},
			)
		}
	}
	return all
}
