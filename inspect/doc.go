// Package inspect shows what is pending on the timers of a program, to people as
// a page and to programs as JSON: how much, what, when it is due, and how late.
//
//	http.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{
//		"connections": connections,
//		"calls":       calls,
//	}))
//
// Mount it where you mount net/http/pprof, and protect it in the same way: it changes
// nothing, but it shows the names of the program's functions and types.
//
// # The page
//
// For each timer there are its figures (those of [hashedwheel.Stats]), a picture of when
// the pending timeouts are due, and a table of what they are: one row for each kind of
// task, named after its function, or after its type if it is none. Connections of package
// idle are *idle.limit there, keys of package keyed *keyed.entry[…] with the types of key
// and value. To tell two listeners apart give each a Timer of its own.
//
// When timeouts come late, look at Overdue first. It says how long the oldest due
// timeout has been waiting, and is red above two ticks: then something holds the worker
// up, most likely a task with Inline or an Executor whose Go does not return, or a
// machine that is too busy: at a tick of a few milliseconds look twice. A goroutine dump
// shows which, in the goroutine of hashedwheel.(*worker).work. Lag says how late the
// last batch was, MaxLag the latest of all. Timeouts that are late although all three
// are small wait in the Executor.
//
// The page is plain HTML with the picture in it, and loads nothing from elsewhere. It
// refreshes every two seconds and stays where it was scrolled to. Without JavaScript
// the browser reloads it every five.
//
// Rates are per second since the last look at the page, whoever looked: two people
// who look at the same time see the same rates. Looks less than a second apart count
// as one, so that a rate is never that of a moment. The first look shows the rates
// since Handler was called. The page says how long ago that was.
//
// # What is counted, and what is estimated
//
// The figures are exact. The picture and the table come from a sample of at most 4,096
// timeouts: with no more than that pending they are exact too, otherwise the counts in
// the sample are scaled to all that is pending. The page then says "about", and a kind of
// task that is less than a thousandth of all may be missing. A look costs a few
// milliseconds and the memory of the sample, whatever is pending, and delays no timeout by
// more than that.
//
// # The report
//
// A request with ?format=json, or that accepts application/json rather than HTML,
// gets an object:
//
//	{
//	  "time": "2026-03-01T12:00:00.5Z",
//	  "timers": [{
//	    "name": "calls",
//	    "tick_ns": 100000000,
//	    "sampled": 2,
//	    "stats": {
//	      "pending": 2, "expired": 7, "cancelled": 993, "rejected": 0, "panics": 0,
//	      "wakeups": 12, "lag_ns": 250000, "max_lag_ns": 1200000, "overdue_ns": 0
//	    },
//	    "due": [{"within_ns": 100000000, "count": 0}, {"within_ns": 200000000, "count": 2}],
//	    "tasks": [{"name": "main.(*call).expire", "count": 2}]
//	  }]
//	}
//
// Timers are sorted by name, tasks by count. A row of due counts what is due within
// within_ns from now and not within the row before it: the first is a tick and what
// is overdue, the last 20 years, which is for ever. Its rows depend on the tick
// alone. Tasks are named as on the page, where only the 20 most frequent have a row.
// Reports do not count as looks at the page.
package inspect
