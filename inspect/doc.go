// Package inspect shows the pending timeouts of a program's timers, to people as a page and to
// programs as JSON: how many there are, of which tasks, when they are due, and how late they run.
//
//	http.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{
//		"connections": connections,
//		"calls":       calls,
//	}))
//
// Mount it next to net/http/pprof, and protect it in the same way: it changes nothing, but it shows
// the names of the program's functions and types.
//
// # The page
//
// Each timer has its figures (see [hashedwheel.Stats]), a table of its pending tasks, a picture of when they are due,
// and a picture of how late tasks were handed out. A timer with a bound shows how full it is, and a stopped timer is
// marked. Rejected and Panics are red if they have grown since the last look.
//
// The table has one row for each kind of task. A task is shown under the name that its method
//
//	TaskName() string
//
// returns. Without that method a function has its name, a function literal also the file and line where its code
// begins, and any other task the name of its type. Any goroutine may call TaskName at any time, at the same time as
// everything else that uses the task: it should return a constant, or a field that does not change. It should name a
// kind of task, not each single task. Connections of package idle are shown as "idle connection", and entries of
// package keyed with the types of key and value, unless the option Name was given. Timers of package wheeltime are
// shown under the function that made them, such as "wheeltime.NewTimer", or under the function of AfterFunc.
//
// At most 200 characters of a name are shown. Control characters, and all others that are
// not graphic by package unicode, become U+FFFD.
//
// # Late timeouts
//
// If timeouts are late, look at Overdue first. It shows how long the oldest due timeout has waited, and is red above
// two ticks: then something blocks the worker, most likely a task with Inline or an Executor whose Go does not return,
// or the machine is too busy; with a tick of a few milliseconds look twice. A goroutine dump shows the cause, in the
// goroutine with hashedwheel.(*worker) in its stack. Lag shows how late the last batch was, and the picture how late
// all were since the timer was made. If timeouts are late although all of these are small, they wait in the Executor.
//
// Below the picture stands how late tasks were over the last seconds, and how long all goroutines of the process waited
// for a processor over the same time (/sched/latencies:seconds of runtime/metrics), each for half of them and for 99%.
// If goroutines waited about as long as tasks were late, the process has more work than processors, and everything in
// it is late. If they waited much less, the worker was blocked, or the system gave the process itself no processor:
// other programs had it, or the container was at its limit. Go does not count that time.
//
// The last row shows how many goroutines are ready to run at the moment, and for how many processors: the most direct
// sign of too much work, although of a single moment.
//
// # Refresh and rates
//
// The page is plain HTML with the pictures in it, and loads nothing from elsewhere. It refreshes every two seconds and
// stays where it was scrolled to. Without JavaScript the browser reloads it every five seconds.
//
// Rates are per second since the last look at the page by anybody: two people who look at the same time see the same
// rates. Looks less than a second apart count as one, so that a rate is never of a single moment. The first look shows
// the rates since the call of Handler. The page shows the length of that time.
//
// # Counts and estimates
//
// The figures are exact. The table and the picture of due times come from a random sample of at most 16,384 timeouts
// ([hashedwheel.Timer.Sample]). They are exact if no more are pending; otherwise they are scaled to the number of
// pending timeouts, and marked as estimated. The share of a kind of task that is one in a hundred of all is right
// within a third, and a kind that is less than one in 3,000 may be missing.
//
// A look visits all pending timeouts: a million take about 30 ms of one processor, or 200 ms if they are scattered in
// memory, and the memory of the sample. It delays no timeout by more than a millisecond, because it releases the
// timer's lock after every 256. The page refreshes less often if a look takes longer than 200 ms, so that it takes no
// more than a tenth of one processor.
//
// # The report
//
// The answer to a request with ?format=json, or with an Accept header that names application/json and does not prefer
// text/html, is an object:
//
//	{
//	  "time": "2026-03-01T12:00:00.5Z",
//	  "processor_wait": {"p50_ns": 2048, "p99_ns": 458752, "over_ns": 15000000000},
//	  "processors": 2,
//	  "ready_goroutines": 31,
//	  "timers": [{
//	    "name": "calls",
//	    "tick_ns": 100000000,
//	    "sampled": 3,
//	    "stats": {
//	      "pending": 3, "max_pending": 1000, "stopped": false,
//	      "expired": 7, "rejected": 0, "panics": 0,
//	      "wakeups": 12, "lag_ns": 250000, "max_lag_ns": 1200000, "overdue_ns": 0
//	    },
//	    "lag_histogram": {
//	      "count": 7,
//	      "buckets": [{"le_ns": 100000, "count": 4}, {"le_ns": 200000, "count": 4}, {"le_ns": 400000, "count": 6}]
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
// (It has all rows of the two lists that are cut short here.) Timers are sorted by name, tasks by count. max_pending is
// 0 if there is no bound. The fields of stats never change their meaning; new ones may be added.
//
// processor_wait shows how long goroutines waited for a processor over the last over_ns, the time since the last
// report, or since the call of Handler. Reports less than a second apart count as one. The values are 0 if the runtime
// counted none, as in a process that did nothing: it counts one wait in eight.
//
// ready_goroutines shows how many goroutines are ready to run, at the time of the report, and wait for one of so many
// processors.
//
// lag_histogram shows how late tasks were handed out since the timer was made, as a Prometheus histogram: a bucket
// counts all tasks that were at most le_ns late, also the tasks in the buckets before it, and count is the bucket +Inf.
// The bounds are always the same: 100 µs, doubled 18 times. There is no sum. The example writes the text that
// Prometheus reads.
//
// A row of due counts the timeouts that are due more than from_ns and at most within_ns from now. The first row, up to
// a tick, also counts overdue timeouts. The last row ends at 20 years, which means forever. The rows depend only on the
// tick. Tasks are named as on the page, which shows only the 20 most frequent kinds. Reports do not count as looks at
// the page, and looks do not count as reports.
package inspect
