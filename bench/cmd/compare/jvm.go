package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/report"
)

const jvmScript = "netty/run"

// openJVM returns the timers of the JVM: Netty's wheel at three ticks, and the two
// of its own library; and a note for the reader.
func openJVM() (jvm []contestant, note string) {
	for _, p := range []jvmPeer{
		{kind: "netty", tick: time.Millisecond}, {kind: "netty", tick: 10 * time.Millisecond}, {kind: "netty", tick: 100 * time.Millisecond},
		{kind: "timer"}, {kind: "pool"},
	} {
		p.version, p.skipped = jvmVersion(p.kind)
		jvm = append(jvm, p)
	}
	return jvm, "Netty, java-timer and java-pool run on the JVM with a heap and a collector of another kind, after a warm-up of their own: " +
		"compare orders of magnitude. Debian's Netty, 4.1.48, is of March 2020."
}

// jvmVersion returns what would run, or why nothing can.
func jvmVersion(kind string) (version, skipped string) {
	out, err := exec.Command("bash", filepath.FromSlash(jvmScript), "version", kind).CombinedOutput()
	said := strings.TrimSpace(string(out))
	switch {
	case err == nil:
		return said, ""
	case said == "":
		said = err.Error()
	}
	return "", said
}

// jvmPeer is a timer in a JVM for each job.
type jvmPeer struct {
	kind    string
	tick    time.Duration // of Netty
	version string
	skipped string // why it cannot run
}

func (p jvmPeer) describe() report.Peer {
	d := report.Peer{Name: "java-" + p.kind, Version: p.version}
	switch p.kind {
	case "netty":
		d.Name = fmt.Sprintf("netty-%dms", p.tick.Milliseconds())
		d.What = "Netty's HashedWheelTimer on the JVM, tick of " + p.tick.String()
		d.Cannot = "cannot move a timeout; ticks when empty; files 100,000 armings a tick, the rest waits"
	case "timer":
		d.What = "java.util.Timer: a binary heap, one thread"
		d.Cannot = "keeps what is cancelled until it would be due; arms a task once only; on the wall clock in whole milliseconds, so early by up to one"
	case "pool":
		d.What = "ScheduledThreadPoolExecutor of one thread, with setRemoveOnCancelPolicy"
		d.Cannot = "cannot move a timeout"
	}
	d.Label = d.Name
	return d
}

func (p jvmPeer) unfit(l loads.Load, _ loads.Case) string {
	switch l.Name {
	case "arm", "fire", "rpc":
		if p.skipped != "" {
			return "not supported, skipped: " + p.skipped
		}
		return ""
	}
	return "not supported"
}

// command passes on what the case is made of: its name begins with a size, and
// a time bounds what is measured.
func (p jvmPeer) command(ctx context.Context, j job, k loads.Case) *exec.Cmd {
	d := j.Config.Rate
	if j.Load == "rpc" {
		d = j.Config.RPC
	}
	size, _, _ := strings.Cut(k.Name, " ")
	return exec.CommandContext(ctx, "bash", filepath.FromSlash(jvmScript),
		p.kind, j.Load, j.Case, j.Peer, strconv.Itoa(j.Round),
		strconv.FormatInt(p.tick.Milliseconds(), 10), size,
		strconv.FormatInt(d.Milliseconds(), 10), strconv.Itoa(runtime.GOMAXPROCS(0)))
}
