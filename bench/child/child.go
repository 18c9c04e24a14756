// Package child runs a part of a measurement in a separate process.
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

// Self returns a command that starts another process of this program.
func Self(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exec.CommandContext(ctx, self, args...)
}

// Lines runs cmd and returns the lines of its output that begin with prefix, without
// the prefix. Without such a line, or if the process fails, the error begins
// with "crashed".
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

// cause returns the line of stderr with the reason why a process ended.
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
