package main

// The rows of README.md.
var readme = []figure{
	{"A server with 100,000 idle timeouts that move, and calls: CPU of the timers, of one core",
		".name:Server /pending:100k", "timers-cpu-%", ""},
	{"There: p99 lateness", ".name:Server /pending:100k", "late-p99-ms", ""},
	{"Bytes per pending timeout, excluding its closure", ".name:Memory", "B/timeout", ""},
	{"A million calls a second, each stopped after 5 ms: CPU, of one core", ".name:Steady /rate:1M", "cpu-%", ""},
	{"There: p99 lateness of the few that expire", ".name:Steady /rate:1M", "late-p99-ms", ""},
	{"CPU per timeout, a million armed and fired", ".name:Fire", "cpu-sec/timeout", ""},
	{"p99 lateness, saturated server with three other `time.Timer`s",
		".name:Saturated /beside:3timers /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness, saturated server with nothing else",
		".name:Saturated /beside:nothing /tick:1ms", "late-p99-ms", ""},
	{"The same with one TCP connection", ".name:Saturated /beside:conn /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness next to 24 goroutines that make calls as fast as they can",
		".name:Storm /call:5ms /goroutines:24 /tick:1ms", "late-p99-ms", ""},
	{"p99 lateness next to 256 goroutines that only arm and stop, and never block",
		".name:Storm /call:owned /goroutines:256 /tick:1ms", "late-p99-ms", ""},
	{"Median lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p50-ms", ""},
	{"p99 lateness, 770 timeouts a second", ".name:Late /next-to:nothing", "late-p99-ms", ""},
	{"A lone heartbeat of 1 ms: CPU per run", ".name:Lone", "cpu-sec/run", ""},
	{"A lone heartbeat of 1 ms: runs per second", ".name:Lone", "runs/s", ""},
	{"Two cores: calls of 5 ms, `Reset` of a `Timeout` that is kept",
		".name:Calls /timeouts:reused", "calls/s", ""},
	{"Two cores: calls of 5 ms, `AfterFunc` for each", ".name:Calls /timeouts:new", "calls/s", ""},
	{"Sixteen cores (measured with 0.4.0): the same, `Reset`",
		".name:Calls /timeouts:reused /gomaxprocs:16 build:0.4.0", "calls/s", "sixteen.txt"},
	{"Sixteen cores (0.4.0): the same, `AfterFunc`",
		".name:Calls /timeouts:new /gomaxprocs:16 build:0.4.0", "calls/s", "sixteen.txt"},
	{"CPU to move a random one of a million timeouts to later", ".name:MoveLater", "cpu-sec/op", ""},
	{"CPU to move a timeout to earlier", ".name:MoveEarlier", "cpu-sec/move", ""},
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

// The rows and columns of timing-wheels.md.
var (
	designs = []struct{ timer, text string }{
		{"list", "unordered list"},
		{"heap", "binary heap, one lock"},
		{std, "the time package: a heap of four children for each P"},
		{"rounds", "hashed wheel with rounds, 512 slots"},
		{"hierarchy", "hierarchy, 256 slots and four times 64"},
		{"timingwheel", "RussellLuo/timingwheel, after Kafka's"},
		{wheel, "this library"},
	}
	idling = []figure{
		{"CPU to arm and stop, 0 pending", ".name:Arm /pending:0", "cpu-sec/op", ""},
		{"1M pending", ".name:Arm /pending:1M", "cpu-sec/op", ""},
		{"CPU of one core, nothing pending", ".name:Idle /pending:0", "cpu-%", ""},
		{"1M far away", ".name:Idle /pending:1M", "cpu-%", ""},
	}
)
