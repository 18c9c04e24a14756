package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/nats-io/nats.go/jetstream"
)

// demonstrate runs the stream and the workers from beginning to end.
func demonstrate(cfg config, stdout, log io.Writer) error {
	srv, stop, err := startServer()
	if err != nil {
		return err
	}
	defer stop()
	nc, js, err := connect(srv.ClientURL(), log)
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
	if cfg.schedules {
		if r.scheduled, err = measureSchedules(ctx, js, cfg); err != nil {
			return err
		}
	}
	r.print(stdout)
	if err := r.verdict(); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "\nok: no job was lost, although a worker was killed, and none ran early")
	return nil
}

// A demo is a run of this program.
type demo struct {
	cfg     config
	js      jetstream.JetStream
	journal *journal
	workers map[string]*process
	stdout  io.Writer

	held, returned int // jobs held by the killed worker; given back by the ended worker
}

// start starts the workers and waits until they are ready.
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
	if !example.Until(2*patience, func() bool { return d.journal.isReady(len(names)) }) {
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
	fmt.Fprintf(d.stdout, "%d jobs, due within %v; three workers; each job is on a Timer for its last %v\n\n",
		d.cfg.jobs, d.cfg.spread, d.cfg.horizon)
	for i := range d.cfg.jobs {
		if err := publish(ctx, d.js, d.cfg.job(i), d.cfg.horizon+d.cfg.spread*time.Duration(i)/time.Duration(d.cfg.jobs)); err != nil {
			return err
		}
	}
	if err := d.killOne(); err != nil {
		return err
	}
	if err := d.endTwo(); err != nil {
		return err
	}
	example.Until(d.cfg.spread+d.cfg.claimFor()+patience, func() bool { return d.journal.isDone(d.cfg.jobs) })
	return d.workers["three"].end()
}

// killOne kills worker one in the middle of its work.
func (d *demo) killOne() error {
	if !example.Until(patience, func() bool { return d.journal.isBusy("one", 5) }) {
		return fmt.Errorf("worker one had no job")
	}
	d.workers["one"].kill()
	d.held = d.journal.died("one")
	fmt.Fprintf(d.stdout, "worker one killed, with %d claimed jobs on its Timer\n", d.held)
	return nil
}

// endTwo ends worker two in the middle of its work.
func (d *demo) endTwo() error {
	if !example.Until(patience, func() bool { return d.journal.isBusy("two", 10) }) {
		return fmt.Errorf("worker two had no job")
	}
	if err := d.workers["two"].end(); err != nil {
		return err
	}
	d.returned = d.journal.gaveBack("two")
	fmt.Fprintf(d.stdout, "worker two ended, and gave back %d claimed jobs\n", d.returned)
	return nil
}

// job returns the text of a job. The first panics, and one in forty lasts longer than a claim.
func (c config) job(i int) string {
	switch {
	case i == 0:
		return "0 panics"
	case c.long(i):
		return fmt.Sprint(i, " lasts ", c.claimFor()+500*time.Millisecond)
	}
	return strconv.Itoa(i)
}

func (c config) long(i int) bool { return i%40 == 7 }
