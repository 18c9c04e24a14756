package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A process is a worker process.
type process struct {
	name   string
	cmd    *exec.Cmd
	input  io.Closer     // the worker ends when it is closed, also by the death of this process
	read   chan struct{} // closed when the worker's output has ended
	stderr bytes.Buffer
}

// An event is a line that a worker has written.
type event struct {
	worker, what string
	job          int
	late         time.Duration
}

// startWorker starts this program as a worker, and calls events for each line of its output.
func startWorker(cfg config, name, server string, events func(event)) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, read: make(chan struct{})}
	p.cmd = exec.Command(self, "-worker", name, "-server", server, "-horizon", cfg.horizon.String())
	p.cmd.Stderr = &p.stderr
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.read)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			events(parseEvent(name, lines.Text()))
		}
	}()
	return p, nil
}

// parseEvent reads a line of worker.log.
func parseEvent(worker, line string) event {
	fields := append(strings.Fields(line), "", "", "")
	e := event{worker: worker, what: fields[0]}
	e.job, _ = strconv.Atoi(fields[1])
	nanoseconds, _ := strconv.ParseInt(fields[2], 10, 64)
	e.late = time.Duration(nanoseconds)
	return e
}

// kill kills the worker. It returns when all output of the worker has been read. A second call does
// nothing.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.read
	_ = p.cmd.Wait()
}

// end makes the worker give back its jobs and end, and waits for it.
func (p *process) end() error {
	_ = p.input.Close()
	<-p.read
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("worker %s: %w: %s", p.name, err, p.stderr.String())
	}
	return nil
}
