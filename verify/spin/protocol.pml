/* The protocol of hashedwheel: how a timeout gets from any number of producers through the queue into the wheel and out
 * of it, and how Timer.StopAll collects the rest at the same time. Checked exhaustively, for the bounds in ./run. When the
 * worker comes is in alarm.pml.
 *
 * Files and names follow the Go code, function by function:
 *
 *   word.pml          word.go: move, begin, reject, cancel, claim, unqueue, cancelForStop, refuse
 *   timeout.pml       timeout.go: Stop
 *   mpsc_queue.pml    mpsc_queue.go: push, prune, take, the sentinel of close
 *   hashed_wheel.pml  hashed_wheel.go: place, turn, close, advance, pop, leave, next
 *   guarded.pml       guarded.go: beginPass, file, fileStripe, takeDue with consider, settle, drainAll, look
 *   worker.pml        worker.go: pass, handOut; timer.go: help
 *   timer.pml         timer.go: arm, armNew, push; Pending and NextDue; quota.go
 *   stop.pml          timer.go: Stop; guarded.go: collect, stop
 *
 *   proctype          stands for
 *   work              the worker; with INTERRUPTS a task may end its goroutine, and another goes on
 *   producer          callers of AfterFunc, Schedule (armNew), Reset, Arm (arm) and Stop, any call at any time
 *   stopper           STOPPERS callers of Timer.StopAll, at any time
 *   counter           a caller of Timer.Pending and NextDue (COUNTER)
 *   last              checks the final state
 *   monitor           the properties of every state
 *
 * Steps. Each load, store, CAS and Swap of a shared atomic, each Lock, TryLock and Unlock is a step. Fields that the
 * lock guards change together with the next or last step of the holder: no other process reads them. Producers never
 * wait for the lock, so their steps come between any two steps of its holder. -DMERGED makes a load and the CAS that
 * depends on it alone one step, which they are when the CAS succeeds, together with the step by which the worker, a
 * drain or a Stop reaches that timeout. It is for configurations that are too large otherwise, and excludes
 * MAX_PENDING, whose counter lies between the two.
 *
 * Left out. Buckets, rings and crowds (a timeout is filed under a tick); ns (all times are ticks); memory order (Go's
 * atomics are sequentially consistent, and plain fields pass through them or have an owner); mutual exclusion by the
 * lock; passes that leave the queue alone; which pushes make a stripe deep (with HELP, TURNSTILE and PRUNE any may);
 * more than two stripes; the counters of Stats; Sample; ManualClock; After; Series.
 *
 * Time. The worker makes a pass a tick, PASSES of them while the producers run and some more after them. With CUTS a
 * batch may outlast its tick.
 *
 * Properties, in all executions within the bounds:
 *
 *   early    claim never expires a timeout before its deadline, nor an arming that no drain has seen, nor anything
 *            after the first hold of Timer.StopAll
 *   outcome  each arming is settled once: expired, canceled (by a Stop that returns true, or by Timer.StopAll, which
 *            returns it, once) or rejected; results match the word (told_right); Reset, Arm and Schedule return
 *            whether they moved an arming, began one, or were refused
 *   lost     in every state, a pending timeout that is not queued is in the batch, or filed no later than it is due; a
 *            settled timeout that is not queued is not filed (kept); a timeout is in the queue at most once
 *   settled  when no process can move, all callers are through, the lock is free, every arming except those for never
 *            is settled, and nothing is queued or left in the wheel
 *   stop     when a Stop returns, all is settled, except armings that are about to be refused
 *   intake   a due timeout that is queued when a pass takes its intake is handed out before that pass ends or, if it
 *            is cut short, before the pass that ends the intake (INTAKE); unless the wheel has left the tick, in whose
 *            batch a task ended the goroutine
 *   zombies  prune drops only timeouts that the queue alone holds
 *   quota    each pending timeout has a permit, and returns it once: in the end as many are taken as timeouts are
 *            pending; the bound refuses Schedule and Arm, never another call (MAX_PENDING)
 *   count    Pending is exact if no other call is under way, and counts each timeout that is pending throughout the
 *            call (watched); NextDue is never too late
 *
 * ZOMBIES begins with as many stopped timeouts in the queue, as if armed and stopped before. Each MISTAKE_ is a small
 * wrong turn that must make the checker find an error.
 */

#ifndef TIMEOUTS
#define TIMEOUTS 1
#endif
#ifndef STRIPES
#define STRIPES 1
#endif
#ifndef BATCH
#define BATCH TIMEOUTS
#endif
#ifndef PORTION
#define PORTION 100	/* what file and collect do in one hold */
#endif
#ifndef TAKE
#define TAKE 100	/* how many timeouts take looks at in one hold */
#endif
#ifndef HELP
#define HELP 0		/* how many timeouts a producer that helps files in one hold; 0: none helps */
#endif
#ifndef DRAIN
#define DRAIN 100	/* how many drain files before take has its turn */
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef STOPPERS
#define STOPPERS 0
#endif
#ifndef LATER
#define LATER 3		/* the later deadline; the other is tick 1 */
#endif
#ifndef PASSES
#define PASSES 2	/* so many passes are made while the producers run; some more follow */
#endif
#ifndef CUTS
#define CUTS 0		/* so many passes may outlast their tick */
#endif

/* By then everything has come to rest. */
#define LAST (LATER + 3)
#define ALL (TIMEOUTS + 1)	/* with nil */

#if TIMEOUTS > 2
#define ALL_TIMEOUTS(p) (p(1) && p(2) && p(3))
#define ALL_TIMEOUTS_AT(p, tick) (p(1, tick) && p(2, tick) && p(3, tick))
#define PENDING_NOW ((told[1] == PENDING) + (told[2] == PENDING) + (told[3] == PENDING))
#elif TIMEOUTS > 1
#define ALL_TIMEOUTS(p) (p(1) && p(2))
#define ALL_TIMEOUTS_AT(p, tick) (p(1, tick) && p(2, tick))
#define PENDING_NOW ((told[1] == PENDING) + (told[2] == PENDING))
#else
#define ALL_TIMEOUTS(p) p(1)
#define ALL_TIMEOUTS_AT(p, tick) p(1, tick)
#define PENDING_NOW (told[1] == PENDING)
#endif

#if HELP || defined(PRUNE)
#define RELIEF 1
#else
#define RELIEF 0
#endif

#ifdef MERGED
#if MAX_PENDING
#error "MAX_PENDING needs loads and CASes apart"
#endif
#define RMW atomic
#else
#define RMW
#endif

byte now;	/* the tick that has begun */
byte tasks;	/* calls made from tasks */
byte callers;	/* not through with their calls */

/* Of every process that calls the timer. */
#define LOCALS short w, next, n; byte i, x, at, above, below, refusal, end_; \
	bit hit, ok, owe, moved, noPermit, late, err, bounded, isOfIntake
#define LOCALS_OF_STOP bit isFirst, more; byte ended

#include "hashed_wheel.pml"
#include "word.pml"
#include "mpsc_queue.pml"
#include "timeout.pml"
#include "guarded.pml"
#include "worker.pml"
#include "timer.pml"
#include "stop.pml"

/* A task. With TASKS it is one for Inline: it may use the timer on the worker's goroutine, or end that. (In a separate
 * goroutine it is one more producer.)
 */
inline execute(to) {
#if TASKS
	if
	:: tasks < TASKS ->
		tasks++;
		if
		:: arm(to, now)
		:: arm(to, LATER)
#if STOPPERS
		:: timer_stop(); more = 0
#endif
#ifdef COUNTER
		:: pending(1)
#endif
#if INTERRUPTS
		:: goto interrupted
#endif
		fi;
		err = 0
	:: true
	fi
#else
	skip
#endif
}

/* The worker: one goroutine after the other. */
proctype work() {
	LOCALS;
	LOCALS_OF_STOP;
	byte to, tick, drained;
	bit alone, left;

	do
	:: more || now < PASSES || callers == 0 && now < LAST ->
		atomic {
			mu == 0;
			now = (more -> now : now + 1);
			more = 0
		};
again:
		pass();
		tick = 0
	:: now == LAST && !more -> break
	od;
#if INTERRUPTS
	goto gone;
interrupted:
	atomic { to = 0; tick = 0; err = 0; goto again };
gone:	skip
#endif
}

#ifdef SCHEDULE
bit known[ALL];	/* to others than the producer that schedules it */
#define KNOWN(to) (!own && known[to])
#define NOT_OWN   (!own)
#else
#define KNOWN(to) true
#define NOT_OWN   true
#endif

/* -DSCHEDULE: the producer's first call is Schedule, of its own timeout, which
 * the others can use once that has returned.
 */
proctype producer(byte own) {
	LOCALS;
	byte calls, to, d;

#ifndef SCHEDULE
	own = 0;
#endif
	do
	:: calls == CALLS -> break
	:: atomic {
			calls < CALLS -> calls++;
			if
#ifdef SCHEDULE
			:: own -> to = own
#endif
			:: KNOWN(1) -> to = 1
#if TIMEOUTS > 1
			:: KNOWN(2) -> to = 2
#endif
#if TIMEOUTS > 2
			:: KNOWN(3) -> to = 3
#endif
			fi;
			if
			:: d = 1
			:: d = LATER
#ifdef ARM_NEVER
			:: d = NEVER
#endif
			:: NOT_OWN -> d = 0
			fi;
#if MAX_PENDING
			if
			:: d != 0 -> bounded = 1	/* Schedule, Arm */
			:: true				/* AfterFunc, Reset, Stop */
			fi
#endif
		};
		if
		:: d == 0 -> stop(to)
#ifdef SCHEDULE
		:: d != 0 && own -> armNew(to, d)
		:: d != 0 && !own -> arm(to, d)
#else
		:: else -> arm(to, d)
#endif
		fi;
#ifdef SCHEDULE
		if
		:: own -> atomic {
			assert(err == (told[to] == REJECTED || told[to] == REJECTED_STOPPED));	/* Schedule's error */
			known[to] = 1;
			own = 0
			}
		:: else
		fi;
#endif
		atomic { to = 0; d = 0; bounded = 0; err = 0 }
	od;
	atomic { calls = 0; callers-- }
}

proctype stopper() {
	LOCALS;
	LOCALS_OF_STOP;

	if
	:: timer_stop()
	:: true
	fi;
	callers--
}

proctype counter() {
	LOCALS;
	bit alone;

	pending(0);
	callers--
}

/* Properties of every state. */

#define told_right(to) (told[to] == state(word[to]))

#define kept(to) (mu || stopped || queued(word[to]) || \
	(state(word[to]) == PENDING -> \
		home[to] == IN_BATCH || \
		home[to] >= FILED + current && home[to] <= FILED + max(deadline(word[to]), opening) : \
		home[to] < FILED))

#define opens_right  (opening <= now + 1)

#if MAX_PENDING
#define counts_right (taken >= PENDING_NOW)
#else
#define counts_right true
#endif

/* last checks the state in which no process can move. */
proctype last() {
	byte i;

	timeout;
	atomic {
		assert(callers == 0 && mu == 0 && now == LAST);
		i = 1;
		do
		:: i == ALL -> i = 0; break
		:: else ->
			assert(!queued(word[i]) && !inQueue[i]);
			if
			:: state(word[i]) == PENDING -> assert(!stopped && deadline(word[i]) == NEVER)
			:: else -> assert(home[i] == UNFILED)
			fi;
			i++
		od;
#if MAX_PENDING
		assert(taken == PENDING_NOW)	/* each permit has been returned */
#endif
	}
}

proctype monitor() {
end:
	atomic {
		!(ALL_TIMEOUTS(told_right) && ALL_TIMEOUTS(kept) && opens_right && counts_right) ->
		assert(ALL_TIMEOUTS(told_right));
		assert(ALL_TIMEOUTS(kept));
		assert(opens_right);
		assert(counts_right)
	}
}

init {
	byte i;
	atomic {
#ifdef ZOMBIES
		i = 0;
		do
		:: i == ZOMBIES -> i = 0; break
		:: else ->
			i++;
			word[i] = pack(1, QUEUED | FRESH, CANCELED);
			told[i] = CANCELED;
			inQueue[i] = 1;
			link[i] = head[0];
			head[0] = i
		od;
#endif
		run monitor();
		run last();
		do
		:: i == PRODUCERS -> break
		:: else ->
			i++;
			callers++;
			run producer((i < ALL -> i : 0))
		od;
		i = 0;
		run work();
		do
		:: i == STOPPERS -> break
		:: else -> run stopper(); callers++; i++
		od;
		i = 0;
#ifdef COUNTER
		run counter(); callers++;
#endif
	}
}
