package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

const jvmNote = "Netty, java-timer and java-pool run on the JVM with another kind of heap and collector, after a warm-up: " +
	"compare orders of magnitude. Debian's Netty, 4.1.48, is of March 2020."

// jvmPeer is a timer of the JVM, which runs netty/run for each job.
type jvmPeer struct {
	report.Peer
	kind    string
	tick    time.Duration // of Netty
	skipped string        // why it cannot run
}

// openJVM returns the timers of the JVM: Netty's wheel at three ticks, and two of
// the JDK.
func openJVM() (jvm []contestant) {
	add := func(name, kind string, tick time.Duration, what, limits string) {
		p := jvmPeer{Peer: report.Peer{Name: name, Label: name, What: what, Cannot: limits}, kind: kind, tick: tick}
		out, err := runJVM(context.Background(), "version", kind).CombinedOutput()
		if text := strings.TrimSpace(string(out)); err == nil {
			p.Version = text
		} else if p.skipped = text; text == "" {
			p.skipped = err.Error()
		}
		jvm = append(jvm, p)
	}
	for _, tick := range []time.Duration{1, 10, 100} {
		add(fmt.Sprintf("netty-%dms", tick), "netty", tick*time.Millisecond, fmt.Sprintf("Netty's HashedWheelTimer on the JVM, tick of %d ms", tick),
			"cannot move a timeout; ticks when empty; files 100,000 armings a tick, the others wait")
	}
	add("java-timer", "timer", 0, "java.util.Timer: a binary heap, one thread",
		"keeps canceled timeouts until they would be due; arms a task only once; on the wall clock in whole milliseconds, so early by up to one")
	add("java-pool", "pool", 0, "ScheduledThreadPoolExecutor of one thread, with setRemoveOnCancelPolicy", "cannot move a timeout")
	return jvm
}

func runJVM(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "bash", append([]string{filepath.FromSlash("netty/run")}, args...)...)
}

func (p jvmPeer) describe() report.Peer { return p.Peer }

func (p jvmPeer) unfit(l loads.Load, _ loads.Case) string {
	switch {
	case l.Name != "arm" && l.Name != "fire" && l.Name != "rpc":
		return "not supported"
	case p.skipped != "":
		return "not supported, skipped: " + p.skipped
	}
	return ""
}

// command passes the size on, with which the name of a case begins, and the time.
func (p jvmPeer) command(ctx context.Context, j job, k loads.Case) *exec.Cmd {
	d := j.Config.Time(500 * time.Millisecond)
	if j.Load == "rpc" {
		d = j.Config.Time(4 * time.Second)
	}
	size, _, _ := strings.Cut(k.Name, " ")
	return runJVM(ctx, p.kind, j.Load, j.Case, j.Peer, fmt.Sprint(j.Round), fmt.Sprint(p.tick.Milliseconds()), size,
		fmt.Sprint(d.Milliseconds()), fmt.Sprint(runtime.GOMAXPROCS(0)))
}
