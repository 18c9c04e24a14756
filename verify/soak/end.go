package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// ending is how a life ends.
type ending int

const (
	stopBeside ending = iota // Timer.Stop, while the producers go on
	stopWithin               // the same, called by a task
	runDry                   // everything settles by itself, then Timer.Stop
	endings
)

// end ends the life and closes its books.
func (l *life) end(how ending) {
	l.isEnding.Store(true)
	switch how {
	case stopBeside:
		l.flood()
		l.stopTimer()
	case stopWithin:
		l.stopByTask()
	case runDry:
		l.runDry()
		l.stopTimer()
	}
	l.armTooLate()
	time.Sleep(5 * l.tick) // so do the producers
	l.dismiss()
	if l.shutDown() {
		l.reckon()
	}
	l.close(l)
}

// armTooLate arms a timeout that has to be rejected; otherwise it will have no outcome.
func (l *life) armTooLate() {
	l.afterFunc(l.far(1))
	l.schedule(l.far(1))
	for i := range min(10, len(l.accounts)) {
		l.accounts[i].reset(l.far(1))
	}
}

// stopByTask has a task call stopTimer, one of a crowd.
func (l *life) stopByTask() {
	patience := l.patience
	if l.lane.bounded { // which may let in nothing that is due
		l.anyStops.Store(true)
		patience = time.Second
	} else {
		l.crowd()
	}
	select {
	case <-l.stopped:
		return
	case <-time.After(patience):
	}
	if !l.lane.bounded {
		l.fault("no task ran any more", "Timer.Stop was to be called by the next")
	}
	l.stopTimer()
}

// stopTimer stops the timer; of a crowd that calls it the first does.
func (l *life) stopTimer() {
	l.stopOnce.Do(func() {
		l.stopping.Store(true)
		l.left = l.tm.Stop()
		l.atStop = l.tm.Stats()
		close(l.stopped)
	})
}

func (l *life) dismiss() {
	l.quit.Store(true)
	l.crew.Wait()
}

// runDry has nobody arm anything more, then a few once more out of the silence,
// and waits for all that is pending.
func (l *life) runDry() {
	l.closing.Store(true)
	l.dismiss()
	for i := range l.accounts {
		l.accounts[i].stop()
	}
	for i := range l.contested {
		l.contested[i].stop()
	}
	l.accounts[0].reset(l.far(1))
	time.Sleep(25 * l.tick) // only that one is left: the worker sleeps until it is due
	for i := 0; i < len(l.accounts); i += 4 {
		l.accounts[i].reset(l.soon(l.roll()))
	}
	began := time.Now()
	for l.books.allUnsettled() > 0 || l.tm.Pending() > 0 {
		if time.Since(began) > l.patience {
			l.fault("the timer did not run dry", fmt.Sprintf("Pending %d, %d armings without an outcome", l.tm.Pending(), l.books.allUnsettled()))
			return
		}
		time.Sleep(l.tick)
	}
	l.refill()
}

// refill holds a bound that everything has left to its word: it lets as many in,
// and not one more.
func (l *life) refill() {
	if l.bound == 0 {
		return
	}
	before := l.books.sum(rejected)
	for range l.bound {
		l.schedule(l.far(1))
	}
	if n := l.books.sum(rejected) - before; n > 0 {
		l.fault("WithMaxPending counts what is no longer pending", fmt.Sprintf("of %d armings at a timer that was empty %d were rejected", l.bound, n))
	}
	if a := l.schedule(l.far(1)); a.to != nil {
		l.fault("WithMaxPending let one more in", fmt.Sprintf("with %d pending", l.bound))
	}
	if n := l.tm.Pending(); n != l.bound {
		l.fault("Pending is not what was armed", fmt.Sprintf("%d, armed were %d", n, l.bound))
	}
}

// shutDown waits for all tasks and reports whether they ended.
func (l *life) shutDown() bool {
	ctx, cancel := context.WithTimeout(context.Background(), l.patience)
	defer cancel()
	again, err := l.tm.Shutdown(ctx)
	if err != nil {
		l.fault("Shutdown timed out", err.Error())
		return false
	}
	if len(again) > 0 {
		l.fault("a second Stop returned something", fmt.Sprint(len(again)))
	}
	l.pool.Wait()
	return true
}

// reckon gives what Timer.Stop returned to its accounts, and holds the timer's
// own counters against the books. Nothing runs any more.
func (l *life) reckon() {
	l.reckoning.Store(true)
	members := make(map[uintptr]*member) // by the task of their Timeout, which is the Series itself
	for _, m := range l.series.members {
		if m != nil {
			members[pointer(m.series)] = m
		}
	}
	before := l.books.sum(returned)
	for _, to := range l.left {
		if m := members[pointer(to.Task())]; m != nil {
			m.account.end(returned)
		} else {
			to.Task().Run(to) // run by hand: the task has its account
		}
	}
	if n := l.books.sum(returned) - before; n != int64(len(l.left)) {
		l.fault("what Timer.Stop returned is not what it should be", fmt.Sprintf("%d, of these %d were pending", len(l.left), n))
	}
	for _, m := range members {
		// A run that armed its series again raced with Timer.Stop: Err has the reason.
		if !m.isSettled() && m.series.Err() != nil {
			m.account.end(rejected)
		}
	}
	l.agree(l.tm.Stats())
	for k := range kinds {
		switch n := l.books.unsettled(k); {
		case n > 0:
			l.faults.add(l.lane.name, n, "an arming has no outcome", kindNames[k])
		case n < 0:
			l.faults.add(l.lane.name, -n, "an arming has an outcome too many", kindNames[k])
		}
	}
}

// pointer returns where p points to, or 0 if it is not a pointer.
func pointer(p any) uintptr {
	if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer {
		return v.Pointer()
	}
	return 0
}

// claimsUnderWay is how many timeouts may expire before Timer.Stop and be counted after it: the
// timeout that the worker has claimed.
const claimsUnderWay = 1

// agree holds Stats to the books.
func (l *life) agree(st hashedwheel.Stats) {
	expect := func(name string, got uint64, atLeast, atMost int64) {
		if got < uint64(atLeast) || got > uint64(atMost) {
			l.fault("Stats."+name+" does not agree with the books", fmt.Sprintf("%d, should be %d to %d", got, atLeast, atMost))
		}
	}
	// No call reports that a contested arming was rejected: Stats has the number, and then nothing
	// may be left over.
	for range int64(st.Rejected) - l.books.sum(rejected) {
		if l.contested != nil {
			l.books.settle(fromContested, rejected)
		}
	}
	told, ran, never := l.books.sum(rejected), l.books.sum(expired), int64(0)
	moreRan, moreRejected := never, never
	if l.lane.series {
		// Runs of series and channels of After expire too, some runs being void; and
		// a waiter's After may meet Timer.Stop.
		ran += l.runsOfSeries.Load()
		moreRan, moreRejected = 1<<62, 1<<62
	}
	expect("Pending", uint64(st.Pending), 0, 0)
	expect("Rejected", st.Rejected, told, told+moreRejected)
	expect("Expired", st.Expired, ran, ran+moreRan)
	expect("Panics", st.Panics, l.panics.Load(), l.panics.Load())
	expect("Panics", st.Panics, l.recovered.Load(), l.recovered.Load())
	if late := st.Expired - l.atStop.Expired; late > claimsUnderWay {
		l.fault("the timer went on after Timer.Stop", fmt.Sprintf("%d expired then", late))
	}
	expect("Canceled", st.Canceled, 0, l.books.sum(canceled)+l.books.sum(returned))
}
