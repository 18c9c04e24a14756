// Package inspect shows the pending timeouts of a program's timers, to people as a page and to programs as JSON: how
// many are pending, of which tasks, when they are due, and how late tasks run.
//
//	http.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{
//		"connections": connections,
//		"calls":       calls,
//	}))
//
// Mount it next to net/http/pprof, and protect it in the same way: it changes nothing, but shows the names of the
// program's functions and types.
//
// # The page
//
// Each timer has its figures (see [hashedwheel.Stats]), a table of its pending tasks, a picture of when they are due,
// and a picture of how late tasks were dispatched. A timer with a bound shows how full it is, and a stopped timer is
// marked. Rejected and Panics are red if they have grown since the page was last loaded.
//
// The table has one row for each kind of task. A task is shown under the name that its method
//
//	TaskName() string
//
// returns. Without that method a function has its name, a function literal also the file and line where its code
// begins, and any other task the name of its type. Any goroutine may call TaskName at any time: it should return a
// constant, or a field that does not change. It should name a kind of task, not each task. Connections of package idle
// are shown as "idle connection", and entries of package keyed with the types of key and value, unless an option gives
// another name. Timers of package wheeltime are shown under the function that made them, such as "wheeltime.NewTimer",
// or under the function of AfterFunc.
//
// At most 200 characters of a name are shown. Characters that are not graphic by package unicode become U+FFFD.
//
// # Late timeouts
//
// If timeouts are late, look at Overdue first: how long the oldest due timeout has waited. It is red above two ticks.
// At the default tick of 1 ms that is often chance, so reload the page. If Overdue stays red, the machine is too busy,
// or a task with Inline or an Executor whose Go does not return blocks the worker. A goroutine dump shows the cause, in
// the goroutine with hashedwheel.(*worker).run in its stack.
//
// The picture shows how late tasks were dispatched since the timer was made, counted from their deadlines: up to a tick
// is normal. If timeouts are late although these figures are small, they wait in the Executor.
//
// The table below the picture compares how late tasks were over the last seconds with how long all goroutines of the
// process waited for a processor (/sched/latencies:seconds of runtime/metrics) over the same time, each for half of
// them and for 99%. If goroutines waited about as long as tasks were late, the process has more work than processors,
// and everything in it is late. If they waited much less, the worker was blocked, or the system gave the process no
// processor, which Go does not count: other programs had it, or the container was at its limit.
//
// The last row shows how many goroutines are ready to run at the moment, and how many processors there are: the most
// direct sign of too much work. It needs Go 1.26 or newer.
//
// # Refresh and rates
//
// The page is plain HTML with the pictures in it, and loads nothing else. It refreshes every two seconds and keeps its
// scroll position. Without JavaScript the browser reloads it every five seconds.
//
// Rates are per second since the page was last loaded by any client; the page shows the length of that time. Loads less
// than a second apart count as one. The first load shows the rates since the call of Handler.
//
// # Counts and estimates
//
// The figures are exact. The table and the picture of due times come from a random sample of at most 16,384 timeouts
// ([hashedwheel.Timer.Sample]). If more are pending, they are scaled and marked as estimated: the share of a kind of
// task that is one in a hundred of all is right to within a third, and a kind that is less than one in 3,000 may be
// missing.
//
// Each load visits all pending timeouts: a million take about 30 ms of one processor (go test -bench Page ./inspect),
// or 200 to 500 ms if they are scattered in memory. While it does, the worker has to wait for its turn several times:
// timeouts that became due then were 1 to 4 ms late at the median, on two processors (go test -bench Late ./inspect).
// Concurrent requests have one load after another. If a load takes longer than 200 ms, the page refreshes less often,
// so that it takes no more than a tenth of one processor.
//
// # The report
//
// The answer to a request with ?format=json, or with an Accept header that names application/json and does not prefer
// text/html, is an object:
//
//	{
//	  "time": "2026-03-01T12:00:00.5Z",
//	  "timers": [{
//	    "name": "calls",
//	    "tick_ns": 100000000,
//	    "sampled": 3,
//	    "stats": {
//	      "pending": 3, "max_pending": 1000, "stopped": false,
//	      "expired": 7, "rejected": 0, "panics": 0, "wakeups": 12,
//	      "lateness": [{"up_to_ns": 100000, "count": 4}, {"up_to_ns": 200000, "count": 0}],
//	      "lateness_sum_ns": 1250000, "overdue_ns": 0
//	    },
//	    "due": [
//	      {"from_ns": 0, "within_ns": 100000000, "count": 0},
//	      {"from_ns": 100000000, "within_ns": 200000000, "count": 3}
//	    ],
//	    "tasks": [
//	      {"name": "main.(*call).expire", "count": 2},
//	      {"name": "main.main.func1 (main.go:42)", "count": 1}
//	    ]
//	  }]
//	}
//
// (Two of the lists are cut short here.) Timers are sorted by name, tasks by count. stats is [hashedwheel.Stats]. Its
// fields never change their meaning; new ones may be added.
//
// A row of due counts the timeouts that are due more than from_ns and at most within_ns from now. The first row, up to
// a tick, also counts overdue timeouts. The last row ends at 20 years, which means forever. The rows depend only on the
// tick. Tasks are named as on the page, which shows only the 20 most frequent kinds. A report does not count as a load.
package inspect
