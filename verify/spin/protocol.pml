/* The protocol of hashedwheel: how a timeout goes from any number of producers
 * through the queue to the wheel and out of it, and how the worker sleeps
 * without missing one. Checked exhaustively, for the bounds in ./run.
 *
 * The files and the names are those of the Go code, whose functions they mirror:
 *
 *   word.pml          word.go: arm, armNew, claim, unqueue, cancel, refuse
 *   timeout.pml       timeout.go: Stop, with stop in word.go
 *   mpsc_queue.pml    mpsc_queue.go: push, take, empty, the sentinel of close
 *   hashed_wheel.pml  hashed_wheel.go: place, close, advance, next
 *   batch.pml         batch.go: pass, drain with file, fillBatch, handOut with runBatch
 *                     and emptyBatch; handoff.go: handOn, takeOut
 *   worker.pml        worker.go: park, unpark, nudge, sleepUntil
 *   timer.pml         timer.go: push, Pending, reserve, release
 *   stop.pml          stop.go: Stop, collect, leave, finish
 *
 *   proctype          stands for
 *   work              work in worker.go
 *   producer          callers of AfterFunc, Schedule (armNew), Reset (arm) and Stop, any call at any time
 *   runner            goroutines in series.Run in recur.go; proceed is in word.pml (SERIES)
 *   watch             watch.look in handoff.go (HANDOFFS)
 *   stopper           a caller of Timer.Stop, or none (STOPPER)
 *   counter           a caller of Timer.Pending (COUNTER)
 *   clock             time; at the end it checks what must have come of everything
 *   monitor           what must be true in every state
 *
 * What is a step. Every load, store, CAS and Swap of a shared atomic, every
 * channel operation, go statement, Lock and Unlock. What mu guards changes
 * together with the next or last step of its holder: nobody else may look. So a
 * Lock is one step with the first thing done under it, an Unlock with the last.
 * Producers never take mu, so their steps come between any two of its holder.
 * -DMERGED makes a load and the CAS that depends on it alone one step, which is
 * what they are when the CAS succeeds; it is for configurations that are too
 * large otherwise, and excludes MAX_PENDING, whose counter lies between the two.
 *
 * What is left out. Buckets, bitmaps, rounds and rings (a timeout is filed under
 * a tick); ns (all times are ticks); memory order (Go's atomics are sequentially
 * consistent, and plain fields pass through them); mutual exclusion by mu; clocks
 * that are set back, and alarms that are late; Goexit and panics in tasks; stripes
 * beyond two, and which comes first; the counters of Stats; ManualClock; After.
 *
 * Time. The clock may tick at any moment up to FREE, then whenever nobody can
 * move. With PASSES there is no sleeping: the worker makes a pass a tick, PASSES
 * of them beside the producers and some more after them. Those configurations
 * look at the word, the queue and the batch with more calls and timeouts; those
 * without PASSES look at parking and waking.
 *
 * What is proved, in all executions within the bounds:
 *
 *   early    claim never expires a timeout before its deadline, nor an arming
 *            that no drain has seen, nor anything once Timer.Stop has returned
 *   outcome  each arming is settled once: expired, cancelled (by a Stop that says
 *            so or by Timer.Stop, which returns it, once) or rejected; what was
 *            told is what the word says (told_right); Reset and Schedule say
 *            whether they moved an arming, began one, or were refused
 *   lost     in every state, what is pending and not queued is in the batch or
 *            due, or filed no later than it is due; what is settled and not
 *            queued is not filed (kept); a timeout is in the queue at most once
 *   wake-up  in every state in which the worker sleeps beyond the next tick, or
 *            there is none, and nobody is about to wake it, the queue is empty and
 *            nothing is filed sooner (sleeps_right, absent_right)
 *   settled  when time has passed and nobody can move, all callers are through,
 *            mu is free, every arming but those for never is settled, nothing is
 *            queued or left in the wheel, and no goroutine is left
 *   stop     when nobody can move after Timer.Stop returned, though no time
 *            passes, all is settled, the worker is gone and done is closed; done
 *            is never closed before that; there never are two workers
 *   room     no more reservations are kept than timeouts are pending
 *   count    Pending is exact when no other call is under way
 *
 * Each MISTAKE_ is a small wrong turn that must make the checker find an error.
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
#ifndef DRAIN_LIMIT
#define DRAIN_LIMIT 100
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef LATER
#define LATER 4	/* the later deadline; the other is tick 1 */
#endif
#ifndef FREE
#define FREE 2	/* up to where the clock may tick while others can move */
#endif
#ifndef HANDOFFS
#define HANDOFFS 0
#endif
#ifndef SERIES
#define SERIES 0
#endif
#define BATCHES (HANDOFFS + 1)

/* By then everything has come to rest. */
#define LAST (LATER + 3 + SERIES + HANDOFFS)
#define ALL (TIMEOUTS + 1)	/* with nil */

#ifdef MERGED
#if MAX_PENDING
#error "MAX_PENDING needs loads and CASes apart"
#endif
#define RMW atomic
#else
#define RMW
#endif

byte now;	/* the tick that has begun */
bit over;	/* the model has been checked at its end */
byte tasks;	/* calls made from tasks */
byte runs;	/* of a series: goroutines that are to call Run */
byte callers;	/* not through with their calls */
bit stopReturned;	/* ghost: Timer.Stop has */
bit inLeft[ALL];	/* ghost: in the result of Timer.Stop */

/* Of every process that calls the timer. */
#define LOCALS byte w, next, i; bit hit, ok, owe, noRoom, err

#include "hashed_wheel.pml"
#include "word.pml"
#include "mpsc_queue.pml"
#include "timeout.pml"
#include "batch.pml"
#include "worker.pml"
#include "timer.pml"
#include "stop.pml"

/* A task, with Inline: it may use the timer on the worker's goroutine. (In a
 * goroutine of its own it is one more producer.)
 */
inline execute(to) {
#if TASKS
	if
	:: tasks < TASKS ->
		atomic { tasks++; keep = drained };
		if
		:: true -> arm(to, now)
		:: true -> arm(to, LATER)
#ifdef STOPPER
		:: true -> timer_stop()
#endif
#ifdef COUNTER
		:: true -> pending()
#endif
		fi;
		atomic { err = 0; drained = keep; keep = 0 }
	:: true
	fi
#else
#if SERIES
	atomic { runs++; running++; callers++ }
#else
	skip
#endif
#endif
}

/* The worker's goroutine; isNew is woken in Go. */
proctype work(byte b; bit isNew) {
	LOCALS;
	byte to, x, first, tick, drained, turn, wait, rest;
	bit look, woken;
#if TASKS
	byte keep, list, s;
	short n;
	bit alone;
#endif

#if PASSES
	do
	:: now < PASSES || callers == 0 && now < LAST ->
		now++;
		pass(b);
		atomic { tick = 0; drained = 0 };
		if
		:: !ok -> break
		:: else -> ok = 0
		fi
	:: now == LAST -> workers--; break
	od;
#else
	if
	:: isNew -> sleepUntil(now + 1); woken = 0
	:: else
	fi;
	do
	:: true ->
		assert(!done);	/* Shutdown waits for the worker */
		pass(b);
		if
		:: !ok -> break
		:: else -> ok = 0
		fi;
		park();
		tick = 0;
		if
		:: rest == ABSENT -> break
		:: else
		fi;
		sleepUntil(wait);
		if
		:: woken && rest == ASLEEP ->
			atomic {
				woken = 0;
				if
				:: wait > now + 1 -> wait = now + 1
				:: else
				fi
			};
			sleepUntil(wait);
			woken = 0
		:: else -> woken = 0
		fi;
		rest = 0; wait = 0
	od;
	atomic { rest = 0; wait = 0; tick = 0; drained = 0 };
#endif
	leave();
gone:	skip
}

#if HANDOFFS
/* watch.look, at any moment at which it may find a task slow. */
proctype watch() {
	byte i, w, x, s, n;

end:
	do
	:: n == HANDOFFS -> break
	:: atomic { n < HANDOFFS && mu == 0 && watched && !stopped -> n++; mu = 1 }
		handOn()
	od
}
#endif

#if SERIES
bit on;		/* series.running */
byte nexts;	/* ghost: how often the Scheduler was asked */

/* A goroutine in which series.Run is called. */
proctype runner() {
	LOCALS;
	byte to, seen;
	bit d, ends, ran;

end:
	do
	:: atomic { runs > 0 -> runs--; to = 1 }
		atomic { ok = !on; on = 1 };
		do
		:: ok ->
			ok = 0;
			proceed(to);
			on = 0;
#ifndef MISTAKE_SERIES_NO_LOOK
			ok = (ran -> isDue(word[to]) : isClaimed(word[to]));
			atomic { ok = ok && !on; on = on || ok }
#endif
		:: else -> break
		od;
		leave();
		atomic { to = 0; err = 0; ran = 0; callers-- }
	od
}
#endif

#ifdef SCHEDULE
bit known[ALL];	/* to others than the producer that schedules it */
#define KNOWN(to) (!own && known[to])
#define NOT_OWN   (!own)
#else
#define KNOWN(to) true
#define NOT_OWN   true
#endif

/* -DSCHEDULE: the producer's first call is Schedule, of a timeout of its own
 * that the others know of once that has returned.
 */
proctype producer(byte own) {
	LOCALS;
	byte n, to, d;
#ifdef MISTAKE_LOOK_BEFORE_PUSH
	byte seen;
#endif

#ifndef SCHEDULE
	own = 0;
#endif
	do
	:: n == CALLS -> break
	:: else ->
		atomic {
			n++;
			if
#ifdef SCHEDULE
			:: own -> to = own
#endif
			:: KNOWN(1) -> to = 1
#if TIMEOUTS > 1
			:: KNOWN(2) -> to = 2
#endif
			fi;
			if
			:: d = 1
			:: d = LATER
#ifdef ARM_NEVER
			:: d = NEVER
#endif
			:: NOT_OWN -> d = 0
			fi
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
			assert(err == (told[to] == REJECTED));	/* what Schedule says */
			known[to] = 1;
			own = 0
			}
		:: else
		fi;
#endif
		atomic { to = 0; d = 0; err = 0 }
	od;
	atomic { n = 0; callers-- }
}

proctype stopper() {
	LOCALS;
	byte to, list, s;

	if
	:: true -> timer_stop()
	:: true
	fi;
	callers--
}

proctype counter() {
	LOCALS;
	byte to, drained;
	short n;
	bit alone;

	pending();
	callers--
}

/* What must be true in every state. */

#define told_right(to) (told[to] == state(word[to]))

#define kept(to) (mu || stopped || queued(word[to]) || \
	(state(word[to]) == PENDING -> \
		home[to] == IN_BATCH || home[to] == IN_DUE || \
		home[to] >= FILED + current && home[to] <= FILED + (deadline(word[to]) > open -> deadline(word[to]) : open) : \
		home[to] == IN_BATCH || home[to] == UNFILED || late > 0))

#define waits(to, tick) (home[to] < FILED || home[to] >= FILED + tick)

#if TIMEOUTS > 1
#define PENDING_NOW ((told[1] == PENDING) + (told[2] == PENDING))
#define ALL_TIMEOUTS(p) (p(1) && p(2))
#define ALL_WAIT(tick) (waits(1, tick) && waits(2, tick))
#else
#define PENDING_NOW (told[1] == PENDING)
#define ALL_TIMEOUTS(p) p(1)
#define ALL_WAIT(tick) waits(1, tick)
#endif
#define sleeps_right (sleeping <= now + 1 || wake || quit || lookers || mu || EMPTY && backlog == 0 && ALL_WAIT(sleeping))
#define absent_right (workers || stopped || lookers || parking || mu || EMPTY && backlog == 0 && ALL_WAIT(NEVER))

proctype clock() {
	byte i;

#if PASSES
	timeout;
#else
	do
	:: now < FREE -> now++
	:: timeout ->
		assert(!stopReturned || workers == 0 && running == 0 && done);	/* Stop ends the worker without waiting for time to pass */
		if
		:: now < LAST -> now++
		:: else -> break
		fi
	od;
#endif
	atomic {
		assert(callers == 0 && mu == 0);
		assert(workers == 0 && running == 0);
		assert(!stopped || done);
		i = 1;
		do
		:: i == ALL -> i = 0; break
		:: else ->
			assert(!queued(word[i]) && !inQueue[i]);
			if
			:: state(word[i]) == PENDING -> assert(!stopped && deadline(word[i]) == NEVER && SERIES == 0)
			:: else -> assert(home[i] == UNFILED)
			fi;
			i++
		od;
#if MAX_PENDING
		assert(reserved == PENDING_NOW);
#endif
		over = 1
	}
}

proctype monitor() {
end:
	atomic {
		!(ALL_TIMEOUTS(told_right) && ALL_TIMEOUTS(kept) && sleeps_right && absent_right) ->
		assert(ALL_TIMEOUTS(told_right));
		assert(ALL_TIMEOUTS(kept));
		assert(sleeps_right);
		assert(absent_right)
	}
}

init {
	byte i;
	atomic {
		run monitor();
		run clock();
		do
		:: i == PRODUCERS -> break
		:: else ->
			i++;
			callers++;
			run producer((i < ALL -> i : 0))
		od;
		i = 0;
#if PASSES
		parked = AWAKE;
		running++; workers++;
		run work(0, true);
#endif
#if HANDOFFS
		run watch();
#endif
#if SERIES
		run runner();
		run runner();
#endif
#ifdef STOPPER
		run stopper(); callers++;
#endif
#ifdef COUNTER
		run counter(); callers++;
#endif
	}
}
