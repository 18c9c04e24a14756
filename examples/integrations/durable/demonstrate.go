package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// demonstrate runs the stream and the workers from beginning to end.
func demonstrate(cfg config, stdout io.Writer) error {
	srv, stop, err := startServer()
	if err != nil {
		return err
	}
	defer stop()
	nc, js, err := connect(srv.ClientURL())
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if err := createStream(ctx, js, cfg.claimFor()); err != nil {
		return err
	}

	d := &demo{cfg: cfg, js: js, journal: newJournal(), stdout: stdout}
	defer d.killAll()
	if err := d.start(srv.ClientURL()); err != nil {
		return err
	}
	if err := d.play(ctx); err != nil {
		return err
	}
	r := d.report(ctx)
	r.print(stdout)
	if err := r.verdict(); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "\nok: no job was lost with the worker that had claimed it, and none ran early")
	return nil
}

// A demo is a run of this program.
type demo struct {
	cfg     config
	js      jetstream.JetStream
	journal *journal
	workers map[string]*process
	stdout  io.Writer

	held, returned int // by the worker that was killed; by the one that was told to end
}

// start starts the workers and waits until they are there.
func (d *demo) start(server string) error {
	d.workers = map[string]*process{}
	names := []string{"one", "two", "three"}
	for _, name := range names {
		p, err := startWorker(d.cfg, name, server, d.journal.add)
		if err != nil {
			return err
		}
		d.workers[name] = p
	}
	if !waitFor(2*patience, func() bool { return d.journal.isReady(len(names)) }) {
		return fmt.Errorf("the workers did not start")
	}
	return nil
}

func (d *demo) killAll() {
	for _, p := range d.workers {
		p.kill()
	}
}

// play publishes the jobs, kills one worker, ends another, and waits for the third.
func (d *demo) play(ctx context.Context) error {
	fmt.Fprintf(d.stdout, "%d jobs, due within %v; three workers; on the wheel for the last %v\n\n",
		d.cfg.jobs, d.cfg.spread, d.cfg.horizon)
	first := time.Now().Add(d.cfg.horizon)
	for i := range d.cfg.jobs {
		due := first.Add(d.cfg.spread * time.Duration(i) / time.Duration(d.cfg.jobs))
		if err := publish(ctx, d.js, i, due); err != nil {
			return err
		}
	}
	if err := d.killOne(); err != nil {
		return err
	}
	if err := d.endTwo(); err != nil {
		return err
	}
	waitFor(d.cfg.spread+d.cfg.claimFor()+patience, func() bool { return d.journal.isDone(d.cfg.jobs) })
	return d.workers["three"].end()
}

// killOne kills worker one in the middle of its work.
func (d *demo) killOne() error {
	if !waitFor(patience, func() bool { return d.journal.isBusy("one", 5) }) {
		return fmt.Errorf("worker one got nothing to do, so killing it would show nothing")
	}
	d.workers["one"].kill()
	d.held = d.journal.died("one")
	fmt.Fprintf(d.stdout, "worker one killed, with %d claimed jobs on its wheel\n", d.held)
	return nil
}

// endTwo tells worker two to end in the middle of its work.
func (d *demo) endTwo() error {
	if !waitFor(patience, func() bool { return d.journal.isBusy("two", 10) }) {
		return fmt.Errorf("worker two got nothing to do, so ending it would show nothing")
	}
	if err := d.workers["two"].end(); err != nil {
		return err
	}
	d.returned = d.journal.gaveBack("two")
	fmt.Fprintf(d.stdout, "worker two ended, and gave back %d claimed jobs\n", d.returned)
	return nil
}
