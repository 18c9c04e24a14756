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

const nettyScript = "netty/run"

// openNetty returns Netty at three ticks, or none, and a note for the reader.
func openNetty() (jvm []contestant, note string) {
	out, err := exec.Command("bash", filepath.FromSlash(nettyScript), "version").CombinedOutput()
	said := strings.TrimSpace(string(out))
	if err != nil {
		if said == "" {
			said = err.Error()
		}
		return nil, "Netty on the JVM was skipped: " + said + "."
	}
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		jvm = append(jvm, nettyPeer{tick, said})
	}
	return jvm, "Netty runs on the JVM with a heap and a collector of another kind, after a warm-up of its own: " +
		"compare orders of magnitude."
}

// nettyPeer is Netty's HashedWheelTimer at one tick, in a JVM for each job.
type nettyPeer struct {
	tick    time.Duration
	version string
}

func (p nettyPeer) describe() report.Peer {
	name := fmt.Sprintf("netty-%dms", p.tick.Milliseconds())
	return report.Peer{
		Name:    name,
		Label:   name,
		What:    "Netty's HashedWheelTimer on the JVM, tick of " + p.tick.String(),
		Version: p.version,
		Cannot:  "cannot move a timeout; ticks when empty; files 100,000 armings a tick, the rest waits",
	}
}

func (p nettyPeer) unfit(l loads.Load, _ loads.Case) string {
	switch l.Name {
	case "arm", "fire", "rpc":
		return ""
	}
	return "not supported"
}

// command passes on what the case is made of: its name begins with a size, and
// a time bounds what is measured.
func (p nettyPeer) command(ctx context.Context, j job, k loads.Case) *exec.Cmd {
	d := j.Config.Rate
	if j.Load == "rpc" {
		d = j.Config.RPC
	}
	size, _, _ := strings.Cut(k.Name, " ")
	return exec.CommandContext(ctx, "bash", filepath.FromSlash(nettyScript),
		j.Load, j.Case, j.Peer, strconv.Itoa(j.Round),
		strconv.FormatInt(p.tick.Milliseconds(), 10), size,
		strconv.FormatInt(d.Milliseconds(), 10), strconv.Itoa(runtime.GOMAXPROCS(0)))
}
