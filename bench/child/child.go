// Package child runs a part of a measurement in a process of its own.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Self returns a command that starts this program anew.
func Self(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exec.CommandContext(ctx, self, args...)
}

// Lines runs cmd and returns those lines of its output that begin with prefix,
// without it. If there are none, or the process fails, the error says that it has
// crashed, and how.
func Lines(cmd *exec.Cmd, prefix string) (lines []string, err error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("crashed: %s", cause(stderr.String(), err))
	}
	for line := range strings.Lines(stdout.String()) {
		if line, ok := strings.CutPrefix(line, prefix); ok {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("crashed: no figures")
	}
	return lines, nil
}

// cause finds the line that says why a process ended.
func cause(stderr string, err error) string {
	for line := range strings.Lines(stderr) {
		for _, sign := range []string{"panic: ", "fatal error: ", "Exception in thread"} {
			if strings.HasPrefix(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return err.Error()
}
