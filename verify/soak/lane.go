package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// lane is one sort of timer, made again every life, and the books of all of them.
type lane struct {
	name     string
	executor string
	bounded  bool // WithMaxPending, which is hit
	series   bool // Every and After too, and a small wheel

	lives int
	books ledger
	tally
}

// tally counts events outside the ledger.
type tally struct {
	lateness             histogram    // of runs, after their deadlines
	full                 atomic.Int64 // armings rejected before Timer.Stop
	runsOfSeries, waited atomic.Int64
	panics, exits, slow  atomic.Int64
}

// lanesFor returns a plain lane for an executor, or for each if it is "all", and
// one lane with a bound and one with series.
func lanesFor(executor string) ([]*lane, error) {
	switch executor {
	case "all":
		return []*lane{
			{name: "default", executor: "default"},
			{name: "inline", executor: "inline"},
			{name: "waitgroup", executor: "waitgroup"},
			{name: "bounded", executor: "default", bounded: true},
			{name: "series", executor: "inline", series: true},
		}, nil
	case "default", "inline", "waitgroup":
		return []*lane{
			{name: executor, executor: executor},
			{name: "bounded", executor: executor, bounded: true},
			{name: "series", executor: executor, series: true},
		}, nil
	}
	return nil, fmt.Errorf("-executor %s: must be all, default, inline or waitgroup", executor)
}

// life is the life of one timer: begin, load, and one of three ends.
type life struct {
	*soak
	lane  *lane
	tm    *hashedwheel.Timer
	start time.Time
	bound int            // WithMaxPending, or 0
	pool  sync.WaitGroup // the executor of a waitgroup lane

	books     ledger
	accounts  []ownAccount
	contested []contested
	series    series
	tally

	crew      sync.WaitGroup // all goroutines that use the timer
	quit      atomic.Bool    // the crew is to end
	closing   atomic.Bool    // tasks are to arm nothing more
	stopping  atomic.Bool    // Timer.Stop may have been called
	reckoning atomic.Bool    // Shutdown has returned: no task runs any more
	recovered atomic.Int64   // panics that the handler saw

	isEnding atomic.Bool // nobody is to drain in the worker's place any more
	crowded  atomic.Bool // tasks are to do nothing but stop the timer
	anyStops atomic.Bool // the next task is to call stopTimer
	stopOnce sync.Once
	stopped  chan struct{}          // closed once left is set
	left     []*hashedwheel.Timeout // by Timer.Stop
	atStop   hashedwheel.Stats      // when that had returned
}

// begin makes a timer and puts it under load.
func (ln *lane) begin(s *soak) *life {
	l := &life{soak: s, lane: ln, start: time.Now(), stopped: make(chan struct{})}
	l.accounts = make([]ownAccount, max(1, s.pending/len(s.lanes)))
	l.tm = hashedwheel.MustNew(l.options()...)
	for i := range l.accounts {
		l.accounts[i].init(l)
	}
	for range s.producers {
		l.crew.Go(l.newProducer().work)
	}
	if !ln.bounded && !ln.series {
		l.beginContest()
	}
	if ln.series {
		l.beginSeries()
	}
	l.crew.Go(l.observe)
	return l
}

func (l *life) options() []hashedwheel.Option {
	opts := append(executorOption(l.lane.executor, &l.pool), hashedwheel.WithTick(l.tick), hashedwheel.WithPanicHandler(l.recoverTask))
	if l.lane.bounded {
		l.bound = max(1, len(l.accounts)/2)
		opts = append(opts, hashedwheel.WithMaxPending(l.bound))
	}
	if l.lane.series {
		opts = append(opts, hashedwheel.WithWheelSize(16))
	}
	return opts
}

// executorOption returns the option for an executor's name, none for "default".
func executorOption(name string, pool *sync.WaitGroup) []hashedwheel.Option {
	switch name {
	case "inline":
		return []hashedwheel.Option{hashedwheel.WithExecutor(hashedwheel.Inline{})}
	case "waitgroup":
		return []hashedwheel.Option{hashedwheel.WithExecutor(pool)}
	}
	return nil
}

// observe reads the timer's own counters, which drains in the worker's place.
func (l *life) observe() {
	var before hashedwheel.Stats
	for !l.isEnding.Load() {
		st := l.tm.Stats()
		if st.Expired < before.Expired || st.Canceled < before.Canceled || st.Rejected < before.Rejected ||
			st.Panics < before.Panics || st.MaxLag < before.MaxLag {
			l.fault("a counter of Stats went back", fmt.Sprintf("%+v after %+v", st, before))
		}
		before = st
		time.Sleep(4 * l.tick)
	}
}

func (l *life) fault(what, detail string) { l.faults.add(l.lane.name, 1, what, detail) }
