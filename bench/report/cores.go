package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// Cores describes what filing by one goroutine at a time means for many processors,
// from the figures of the load cores, if there are any.
func (r *Report) Cores() string {
	alone := where(r.Rows, func(row Row) bool { return row.Load == "cores" && row.Case == "GOMAXPROCS=1" })
	filing, call, std := summarize(alone, ours, "filing").value, summarize(alone, ours, "arm and stop").value, summarize(alone, base, "arm and stop").value
	if math.IsNaN(filing) || math.IsNaN(call) || math.IsNaN(std) {
		return ""
	}
	const many = 64
	var b strings.Builder
	fmt.Fprintf(&b, "**Measured**, in the load cores: on one processor an arming and its stop take %s of CPU (package time: %s), and filing one timeout "+
		"under the lock takes %s. GOMAXPROCS above the processors of the machine adds threads, not processors: those rows show "+
		"that an unlucky schedule breaks nothing; they show no speed.\n\n", duration(call), duration(std), duration(filing))
	fmt.Fprintf(&b, "**Simulated**, in the loads cores and storm: a handicap makes filing slower, so that the producers of this machine outrun the filing goroutine like those of a larger machine. "+
		"That shows how deep queues get and how late a heartbeat is. It does not show caches shared by many processors, or several sockets.\n")
	machines := distinct(where(r.Rows, func(row Row) bool { return row.Load == "cores" && strings.Contains(row.Case, "handicap") }),
		func(row Row) string { return row.Case })
	if len(machines) > 0 {
		b.WriteString("\n| case | filing, ns | as on about so many processors | arm and stop, ns | re-arm and stop, ns |\n|---|---:|---:|---:|---:|\n")
	}
	for _, name := range machines {
		rows := where(r.Rows, func(row Row) bool { return row.Load == "cores" && row.Case == name })
		slow := summarize(rows, ours, "filing").value
		fmt.Fprintf(&b, "| %s | %s | %.0f | %s | %s |\n", name, numbers.Number(slow), parseCount(strings.TrimPrefix(name, "GOMAXPROCS="))*slow/filing,
			summarize(rows, ours, "arm and stop"), summarize(rows, ours, "re-arm and stop"))
	}
	fmt.Fprintf(&b, "\n**By arithmetic**, for %d processors that do nothing else: %d / %s is %s calls a second that arm and stop, if nothing is shared. "+
		"One goroutine files 1 / %s, %s a second, and keeps up with %.1f such processors. Beyond that, producers drop their calls that end within a tick without the lock. "+
		"Armings that outlive a tick are filed one by one: a Timer bears at most %s of these a second, on any number of processors. "+
		"Package time has a heap for each processor: %d / %s is %s calls a second.\n",
		many, many, duration(call), millions(many/call), duration(filing), millions(1/filing), call/filing, millions(1/filing),
		many, duration(std), millions(many/std))
	return b.String()
}

// millions formats a rate, given the number of events in a nanosecond.
func millions(eachNS float64) string { return fmt.Sprintf("%.0f million", eachNS*1e3) }
