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

// A process is a worker process, seen by the one that started it.
type process struct {
	name   string
	cmd    *exec.Cmd
	input  io.Closer     // the worker ends when it is closed; so it does when this process dies
	read   chan struct{} // closed when its output has ended
	stderr bytes.Buffer
}

// An event is a line that a worker has written.
type event struct {
	worker, what string
	job          int
	late         time.Duration
}

// startWorker starts this very program as a worker. What it writes goes to events.
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

// parseEvent reads a line of worker.tell.
func parseEvent(worker, line string) event {
	fields := append(strings.Fields(line), "", "", "")
	e := event{worker: worker, what: fields[0]}
	e.job, _ = strconv.Atoi(fields[1])
	nanoseconds, _ := strconv.ParseInt(fields[2], 10, 64)
	e.late = time.Duration(nanoseconds)
	return e
}

// kill ends the worker as a power failure would. It returns when all that the worker
// has written is read. The second call does nothing.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.read
	_ = p.cmd.Wait()
}

// end tells the worker to give back its jobs and end, and waits until it has.
func (p *process) end() error {
	_ = p.input.Close()
	<-p.read
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("worker %s: %w: %s", p.name, err, p.stderr.String())
	}
	return nil
}
