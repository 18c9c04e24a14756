/* The protocol of hashedwheel: how a timeout gets from any number of producers through the queue into
 * the wheel and out of it, how the worker sleeps without missing a timeout, and how Timer.Stop collects
 * the rest at the same time. Checked exhaustively, for the bounds in ./run.
 *
 * Files and names follow the Go code, function by function:
 *
 *   word.pml          word.go: move, begin, reject, cancel, claim, unqueue, collect, refuse
 *   timeout.pml       timeout.go: Stop
 *   mpsc_queue.pml    mpsc_queue.go: push, comb, take, empty, the sentinel of close
 *   hashed_wheel.pml  hashed_wheel.go: place, close, skip, advance, pop, next
 *   guarded.pml       guarded.go: beginPass, turn, file, fileFor, takeDue with consider, settle, look
 *   worker.pml        worker.go: pass, handOut, park, unpark, reduce of help.go; sleep; park and drainAll of guarded.go
 *   timer.pml         timer.go: arm, armNew, push; Pending and Next, as worker.look
 *   stop.pml          timer.go: stop; guarded.go: collect, stop
 *   executor.pml      executor.go: Enter, Leave, done
 *
 *   proctype          stands for
 *   work              work in worker.go
 *   producer          callers of AfterFunc, Schedule (armNew), Reset (arm) and Stop, any call at any time
 *   stopper           STOPPERS callers of Timer.Stop, at any time
 *   counter           a caller of Timer.Pending and Next (COUNTER)
 *   executor          goroutines with tasks (EXECUTOR)
 *   clock             time; at the end it checks the final state
 *   monitor           the properties of every state
 *
 * Steps. Each load, store, CAS and Swap of a shared atomic, each channel operation, go statement, Lock,
 * TryLock and Unlock is a step. Fields that the lock guards change together with the next or last step of
 * the holder: no other process reads them. Producers never wait for the lock, so their steps come between
 * any two steps of its holder. -DMERGED makes a load and the CAS that depends on it alone one step, which
 * they are when the CAS succeeds, together with the step by which the worker, a drain or a Stop reaches
 * that timeout. It is for configurations that are too large otherwise, and excludes MAX_PENDING, whose
 * counter lies between the two.
 *
 * Left out. Buckets, rings and crowds (a timeout is filed under a tick); ns (all times are ticks); memory
 * order (Go's atomics are sequentially consistent, and plain fields pass through them or have an owner);
 * mutual exclusion by the lock; alarms that are late; which pushes make a stripe
 * deep (with HELP, TURNSTILE and COMB any may); more than two stripes; the counters of Stats; Sample;
 * ManualClock; After; Series.
 *
 * Time. The clock may tick at any moment up to FREE, then whenever no process can move. With PASSES the
 * worker does not sleep: it makes a pass a tick, PASSES of them while the producers run and some more
 * after them. Those configurations check the word, the queue and the batch with more calls and timeouts;
 * those without PASSES check parking and waking.
 *
 * Properties, in all executions within the bounds:
 *
 *   early    claim never expires a timeout before its deadline, nor an arming that no drain has seen, nor
 *            anything after the first hold of Timer.Stop
 *   outcome  each arming is settled once: expired, canceled (by a Stop that returns true, or by Timer.Stop,
 *            which returns it, once) or rejected; results match the word (told_right); Reset and Schedule
 *            return whether they moved an arming, began one, or were refused
 *   lost     in every state, a pending timeout that is not queued is in the batch, or filed no later than
 *            it is due; a settled timeout that is not queued is not filed (kept); a timeout is in the queue
 *            at most once
 *   wake-up  in every state in which the worker sleeps beyond the next tick, or is absent, and no process
 *            is about to wake it, the queue and the lists are empty and no filed timeout is due sooner
 *            (sleeps_right, absent_right)
 *   owner    there are never two workers, and none touches a plain field, or the batch without the lock,
 *            before it is the worker or after it ceased to be
 *   settled  when time has passed and no process can move, all callers are through, the lock is free, every
 *            arming except those for never is settled, nothing is queued or left in the wheel, and no
 *            goroutine is left
 *   stop     when a Stop returns, all is settled, except armings that are about to be refused; when no process can move then, though no time passes, the worker is gone and done
 *            is closed, and done is never closed before that
 *   round    a due timeout that is queued when a pass takes its round is handed out before that pass ends
 *            or, if it is cut short, before the pass that ends the round (ROUNDS)
 *   litter   comb drops only timeouts that the queue alone holds
 *   room     no more reservations are kept than timeouts are pending, with KEEPER pending or expired
 *   count    Pending is exact if no other call is under way, and counts each timeout that is pending
 *            throughout the call (watched); Next is never too late
 *
 * LITTER begins with as many stopped timeouts in the queue, as if armed and stopped before. Each MISTAKE_
 * is a small wrong turn that must make the checker find an error.
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
#define LATER 4		/* the later deadline; the other is tick 1 */
#endif
#ifndef FREE
#define FREE 2		/* up to where the clock may tick while others can move */
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

#if HELP || defined(COMB)
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
bit over;	/* the model has been checked at its end */
byte tasks;	/* calls made from tasks */
byte callers;	/* not through with their calls */

/* Of every process that calls the timer. */
#define LOCALS short w, next, n; byte i, x, at, seen, above, below, refusal, end_; bit hit, ok, owe, moved, noRoom, kept, late, err, inRound
#define LOCALS_OF_STOP bit isFirst, more; byte ended

#include "hashed_wheel.pml"
#include "executor.pml"
#include "word.pml"
#include "mpsc_queue.pml"
#include "timeout.pml"
#include "guarded.pml"
#include "worker.pml"
#include "timer.pml"
#include "stop.pml"

/* A task. With TASKS it is one for Inline: it may use the timer on the worker's
 * goroutine, or end that. (In a separate goroutine it is one more producer.)
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
		:: timer_stop()
#endif
#ifdef COUNTER
		:: pending(1)
#endif
#if INTERRUPTS
		:: goto interrupted_by_task
#endif
		fi;
		err = 0
	:: true
	fi
#else
#ifdef EXECUTOR
	atomic { handed++; enter() }
#else
	skip
#endif
#endif
}

/* The worker's goroutine. */
proctype work() {
	LOCALS;
	LOCALS_OF_STOP;
	byte to, tick, drained, wait, rest;
	bit woken, alone, left, busy;

	atomic { assert(owner == COMING); owner = _pid };
#if PASSES
	do
	:: now < PASSES || callers == 0 && now < LAST ->
		atomic { mu == 0 -> now++; expected = now };
		pass();
		atomic { tick = 0; busy = 0; more = 0 }
	:: now == LAST -> break
	od;
	owner = 0;
#else
	if
	:: interrupted -> mine; interrupted = 0
	:: else -> awaitNextTick(); woken = 0; wait = 0
	fi;
	do
	:: assert(!done);	/* Shutdown waits for the worker */
		pass();
		if
		:: more -> more = 0; tick = 0; busy = 0
		:: else ->
			park();
			if
			:: rest == ABSENT -> break
			:: else
			fi;
			sleepUntil(wait);
			if
			:: woken && rest == ASLEEP ->
				woken = 0;
				awaitNextTick()
			:: else
			fi;
			atomic { woken = 0; rest = 0; wait = 0 }
		fi
	od;
	atomic { rest = 0; wait = 0; tick = 0 };
#ifdef MISTAKE_ENDED_WORKER_WRITES
	atomic { mine; interrupted = 0 };
#endif
#endif
	leave();
#if INTERRUPTS
	goto gone;
interrupted_by_task:
	atomic { mine; interrupted = 1; owner = COMING };
#ifdef MISTAKE_INTERRUPTED_LEAVES
	leave();
#else
	run work();
#endif
#endif
gone:	skip
}

#ifdef EXECUTOR
proctype executor() {
	bit hit;

end:
	do
	:: handed > 0 ->
		assert(!done);	/* Shutdown waits for the task */
		handed--;
		leave()
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
			fi
		};
		if
		:: d == 0 -> stop(to)
#ifdef KEEPER
		:: d == 0 -> giveBack(to)
#endif
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
			assert(err == (told[to] == REJECTED || told[to] == TOO_LATE));	/* Schedule's error */
			known[to] = 1;
			own = 0
			}
		:: else
		fi;
#endif
		atomic { to = 0; d = 0; err = 0 }
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

#define told_right(to) (told[to] == outcome(word[to]))

#define kept(to) (mu || stopped || queued(word[to]) || \
	(state(word[to]) == PENDING -> \
		home[to] == IN_BATCH || \
		home[to] >= FILED + current && home[to] <= FILED + max(deadline(word[to]), opening) : \
		home[to] < FILED))

#define waits(to, tick) (home[to] < FILED || home[to] >= FILED + tick)
#define IDLE_TILL(tick) (EMPTY && lists[0] == 0 && ALL_TIMEOUTS_AT(waits, tick))

#define sleeps_right (sleeping <= now + 1 || wake || quit || lookers || mu || IDLE_TILL(sleeping))
#define absent_right (owner || stopped || lookers || parking || mu || IDLE_TILL(NEVER))
#define opens_right  (opening <= now + 1)

proctype clock() {
	byte i;

#if PASSES
	timeout;
#else
	do
	:: now < FREE -> now++
	:: timeout ->
		assert(!closed || owner == 0 && running == 0 && done);	/* Stop ends the worker without waiting for time to pass */
		if
		:: now < LAST -> now++
		:: else -> break
		fi
	od;
#endif
	atomic {
		assert(callers == 0 && mu == 0);
		assert(owner == 0 && handed == 0);
		assert(running == !closed && done == closed);
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
#ifdef KEEPER
		assert(reserved == PENDING_NOW + (state(word[1]) == EXPIRED));
#else
		assert(reserved == PENDING_NOW);
#endif
#endif
		over = 1
	}
}

proctype monitor() {
end:
	atomic {
		!(ALL_TIMEOUTS(told_right) && ALL_TIMEOUTS(kept) && sleeps_right && absent_right && opens_right) ->
		assert(ALL_TIMEOUTS(told_right));
		assert(ALL_TIMEOUTS(kept));
		assert(sleeps_right);
		assert(absent_right);
		assert(opens_right)
	}
}

init {
	byte i;
	atomic {
#ifdef LITTER
		i = 0;
		do
		:: i == LITTER -> i = 0; break
		:: else ->
			i++;
			word[i] = pack(1, QUEUED | FRESH, CANCELED);
			told[i] = CANCELED;
			inQueue[i] = 1;
			link[i] = head[0];
			head[0] = i
		od;
#if !PASSES
		status = AWAKE;
		owner = COMING;
		enter();
		run work();
#endif
#endif
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
		status = AWAKE;
		owner = COMING;
		enter();
		run work();
#endif
#ifdef EXECUTOR
		run executor();
#endif
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
