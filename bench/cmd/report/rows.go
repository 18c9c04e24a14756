package main

// The rows of README.md. The last is a loss.
var readme = []figure{
	{"Median lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p50-ms", ""},
	{"p99 lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p99-ms", ""},
	{"p99 lateness, 20,000 calls a second beside a million other `time.Timer`s", ".name:Beside", "late-p99-ms", ""},
	{"p99 lateness, saturated server with three other `time.Timer`s",
		".name:Saturated /beside:3timers /tick:1ms", "late-p99-ms", ""},
	{"Two cores: calls of 5 ms, `Reset` of a `Timeout` that is kept",
		".name:Calls /timeouts:reused", "calls/s", ""},
	{"A million calls a second, each stopped after 5 ms: CPU, of one core", ".name:Steady /rate:1M", "cpu-%", ""},
	{"Bytes per pending timeout, excluding its closure", ".name:Memory", "B/timeout", ""},
	{"A lone heartbeat of 1 ms: CPU per run", ".name:Lone", "cpu-sec/run", ""},
}

// The other rows, in docs/measured.md.
var others = []figure{
	{"A server with 100,000 idle timeouts that move, and calls: CPU of the timers, of one core",
		".name:Server /pending:100k", "timers-cpu-%", ""},
	{"The same server: p99 lateness", ".name:Server /pending:100k", "late-p99-ms", ""},
	{"A server with 10,000: CPU of the timers, of one core", ".name:Server /pending:10k", "timers-cpu-%", ""},
	{"The same server: p99 lateness", ".name:Server /pending:10k", "late-p99-ms", ""},
	{"A server with 1,000: CPU of the timers, of one core", ".name:Server /pending:1k", "timers-cpu-%", ""},
	{"The same server: p99 lateness", ".name:Server /pending:1k", "late-p99-ms", ""},
	{"A million calls a second, each stopped after 5 ms: p99 lateness of the few that expire",
		".name:Steady /rate:1M", "late-p99-ms", ""},
	{"20,000 calls a second beside a million other `time.Timer`s: CPU, of one core", ".name:Beside", "cpu-%", ""},
	{"Lateness of one timeout of 20 s in an idle process, where some other wake-up often ends the wait",
		".name:Far", "late-ms", ""},
	{"99.9th percentile of lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p99.9-ms", ""},
	{"p99 lateness, 770 timeouts a second next to bursts of 150,000 armings", ".name:Late /next-to:burst",
		"late-p99-ms", ""},
	{"Lateness of the latest of 500,000 timeouts due within half a second",
		".name:DueLate /due:500k", "worst-ms", ""},
	{"p99 lateness, saturated server with nothing else",
		".name:Saturated /beside:nothing /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness, saturated server with another `time.Timer`",
		".name:Saturated /beside:timer /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness, saturated server with a TCP connection",
		".name:Saturated /beside:conn /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness next to 24 goroutines that make calls of 5 ms as fast as they can",
		".name:Storm /call:5ms /goroutines:24 /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness next to 24 goroutines that arm new timeouts and stop them, and never block",
		".name:Storm /call:new /goroutines:24 /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness next to 256 goroutines that arm and stop a `Timeout` that each keeps, and never block",
		".name:Storm /call:owned /goroutines:256 /tick:1ms", "late-p99-ms", ""},
	{"A lone heartbeat of 1 ms: runs per second", ".name:Lone", "runs/s", ""},
	{"Two cores: calls of 5 ms, `AfterFunc` for each", ".name:Calls /timeouts:new", "calls/s", ""},
	{"CPU to arm a new timeout and stop it, nothing pending", ".name:Arm /pending:0", "cpu-sec/op", ""},
	{"CPU to arm a new timeout and stop it, a million pending", ".name:Arm /pending:1M", "cpu-sec/op", ""},
	{"CPU to arm a `Timeout` again and stop it", ".name:Rearm", "cpu-sec/op", ""},
	{"CPU to move a random one of a million timeouts to later", ".name:MoveLater", "cpu-sec/op", ""},
	{"CPU to move a timeout to earlier", ".name:MoveEarlier", "cpu-sec/move", ""},
	{"CPU per timeout, a million armed and fired", ".name:Fire", "cpu-sec/timeout", ""},
	{"Arm a timeout while a million others become due, 99th percentile", ".name:Due", "arming-p99-sec", ""},
	{"CPU of waiting, a million timeouts far away, of one core", ".name:Idle /pending:1M", "cpu-%", ""},
	{"CPU of waiting, nothing pending, of one core", ".name:Idle /pending:0", "cpu-%", ""},
}

// The rows of docs/measured.md of another machine and an older version, which do not count.
var sixteen = []figure{
	{"Calls of 5 ms, `Reset` of a `Timeout` that is kept",
		".name:Calls /timeouts:reused /gomaxprocs:16 build:0.4.0", "calls/s", "sixteen.txt"},
	{"Calls of 5 ms, `AfterFunc` for each",
		".name:Calls /timeouts:new /gomaxprocs:16 build:0.4.0", "calls/s", "sixteen.txt"},
}

// The rows of README.md in bench.
var otherTimers = []figure{
	{"CPU to arm a new timeout and stop it, a million pending", ".name:Arm /pending:1M", "cpu-sec/op", ""},
	{"CPU to move a random one of a million timeouts to later", ".name:MoveLater", "cpu-sec/op", ""},
	{"CPU per timeout, a million armed and fired", ".name:Fire", "cpu-sec/timeout", ""},
	{"Arm a timeout while a million others become due, 99th percentile", ".name:Due", "arming-p99-sec", ""},
	{"Bytes per pending timeout, excluding its closure", ".name:Memory", "B/timeout", ""},
	{"Median lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p50-ms", ""},
	{"CPU to move a timeout to earlier", ".name:MoveEarlier", "cpu-sec/move", ""},
	{"Calls of 5 ms on two cores, timeouts armed again", ".name:Calls /timeouts:reused", "calls/s", ""},
}
