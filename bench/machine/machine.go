// Package machine describes the machine, the commit and the resource use of a
// measurement.
package machine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Commit returns the commit of the working directory, and whether anything has
// changed since.
func Commit() string {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	id, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	if changes, err := git("status", "--porcelain", "--untracked-files=no"); err != nil || changes != "" {
		id += " with changes"
	}
	return id
}

// CPU returns the model of the processor.
func CPU() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	return "unknown"
}

// freeMemory returns how many bytes the system can still give out, or 0 if
// /proc does not show it.
func freeMemory() (n uint64) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(info, []byte("MemAvailable:"))
	_, _ = fmt.Sscan(string(rest), &n)
	return n << 10
}
