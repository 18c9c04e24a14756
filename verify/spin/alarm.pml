/* alarm.go and timerfd_linux.go, with wake, work, run and pass of worker.go, and of guarded.go and mpsc_queue.go the
 * parts that decide when the worker runs next. Names are those of the Go code.
 *
 *   proctype    stands for
 *   producer    callers of Reset, Move and Timeout.Stop, who may find the worker overdue
 *   worker      the goroutine that is the worker; after runtime.Goexit, the one that continues
 *   helper      help, Pending, NextDue: a goroutine that takes the queue and files it, in two holds of the lock
 *   stopper     Timer.StopAll
 *   clock       time, the two time.Timers, and the goroutines that they start, until those are counted in calls
 *
 * Steps. Each load, store, CAS or Swap of the alarm's word, of far.wanted, overdue, calls, the timers and the timerfd is
 * a step, and so are each transition of a timeout's word, each push, each take of a stripe and each hold of the lock.
 * Two are one step where no other process can tell: a load and the CAS that depends on it alone, and all that only the
 * worker reads, or one caller of set. A timer, the goroutine that it starts, and every other may be as late as they
 * like.
 *
 * Time passes by itself up to LAST, and JUMPS times by more than the far lane's margin; then, whenever no process can
 * move, up to the next timer. Each timeout has a separate stripe in each lane, and is filed under its own time. A pass
 * that has outlasted a tick is followed by another.
 *
 * Left out: the quota, the depth of stripes, crowds, bubbles, and ManualClock, whose word is ended from the start.
 *
 * Properties, whenever no call is in progress and no goroutine is about to run:
 *
 *   in time   a timer is set, no later than a tick after each pending timeout's deadline, or after the return of the
 *             call that armed it
 *   set       if the word has a run, a timer is set, no later than putOff may put it off, and the timerfd is set for it;
 *             if it has none, no timer is set but for now
 *   linger    if anything is queued, the next run is at most the linger away
 *   stop      after Timer.StopAll no timer is set, the timerfd is closed, and no caller wakes the worker
 *
 * At each run that is beyond the rate: it is due at a whole tick, later than the last. When no process can move any
 * more, no timeout is pending or queued, and no run is set.
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 2
#endif
#ifndef HELPERS
#define HELPERS 0
#endif
#ifndef STOPPERS
#define STOPPERS 0
#endif
#ifndef GOEXITS
#define GOEXITS 0	/* so many tasks may end the worker's goroutine */
#endif
#ifndef WAKES
#define WAKES 0		/* so many times a caller finds the worker overdue, and wakes it */
#endif
#ifndef LAST
#define LAST 1
#endif
#ifndef JUMPS
#define JUMPS 0
#endif
#ifndef BURST
#define BURST 0
#endif

#define TICK   2
#define LINGER 5
#define MARGIN (3 * (LINGER + TICK))
#define NEVER  120	/* maxDeadline; notSet */

#define NO_RUN (2 * NEVER)
#define ENDED  (-1)
#define next(w) ((w) >> 1)

#define NEAR 1
#define FAR  2

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))
#define wholeTick(t) (((t) + TICK - 1) / TICK * TICK)

byte now;

/* alarm */
#ifdef TRAFFIC	/* a run is announced, as after traffic */
short word = 2 * LAST + 1;
#define SET_AT LAST
byte overdue = LAST;
#else
short word = NO_RUN;
#define SET_AT NEVER
byte overdue = NEVER;
#endif
byte timer[2] = { SET_AT, NEVER };	/* when it is due; NEVER: it is not set */
byte set_at[2] = { SET_AT, NEVER };	/* a waker's at; NEVER: it has fired */
byte sets;
byte fd = LAST;		/* the timerfd: the run for which it is set */
short allowed, last, free = -LINGER;
bit extra;		/* the timer of callers is to fire at once */
bit isFdClosed;

/* worker */
byte calls, isCalled;	/* isCalled: calls was 0, and the goroutine is about to be the worker */
byte closed;		/* the time of the last pass */

/* the far lane */
byte far_at = LINGER;
bit wanted;

/* the word of each timeout, and where it is */
bit pending[2], queued[2], inLists[2];
byte deadline[2], inQueue[2], filed[2];	/* inQueue: the lane; filed: under this time; 0: in none */
bit mu, stopped;

/* ghosts */
byte busy;	/* calls in progress, and goroutines that run or are about to */
byte limit[2];	/* of a pending timeout: its deadline, or when the call that armed it returned */
#if WAKES
byte wakes;
#endif
byte fired[2], woken;	/* goroutines that timers have started, and those that are about to be counted in calls */

#define IN_TIME(t) (!pending[t] || (inQueue[t] || inLists[t] || filed[t]) && \
	(deadline[t] == NEVER || first <= limit[t] + TICK))
#define first min(timer[0], timer[1])
#define IS_OUT(i) (timer[i] == NEVER || timer[i] <= now)

#ifdef MISTAKE_PUT_OFF_TO_LAST
#define PUT_OFF(due) ((due) < allowed -> wholeTick(due) : (due))
#else
#define PUT_OFF(due) ((due) < allowed -> wholeTick(max(due, last + 1)) : (due))
#endif

/* away ends what is in progress. */
inline away() {
	busy--;
	if
	:: busy == 0 && !stopped ->
		assert(!isCalled && calls == 0);
		assert(IN_TIME(0) && IN_TIME(1));
		assert(next(word) == NEVER && IS_OUT(0) && IS_OUT(1) ||
			next(word) < NEVER && first <= max(now, wholeTick(max(next(word), last + 1))) && fd == next(word));
		assert(!queued[0] && !queued[1] || next(word) <= now + LINGER)
	:: busy == 0 && stopped -> assert(word == ENDED && first == NEVER && isFdClosed && overdue == NEVER)
	:: else
	fi
}

#define IS_SET(i) (now < set_at[i] && set_at[i] <= start)

/* set, which uses at, start, i and asked. */
inline set() {
	atomic {
		at = next(word);
		if
		:: at >= 0 && at < NEVER -> start = PUT_OFF(at)
		:: else
		fi;
		at = 0
	};
	atomic { overdue = (start -> start : overdue); start = 0 };
	if
	:: atomic { sets > 0 -> sets++ }
	:: atomic { sets == 0 -> sets = 1; asked = 1 };
	   do
	   :: at = next(word);
		if
		:: at < 0 -> overdue = NEVER; timer[0] = NEVER; timer[1] = NEVER; isFdClosed = 1
		:: at == NEVER ->	/* endWakers; it moves no timer that is due */
			overdue = NEVER;
			timer[0] = (timer[0] < NEVER -> min(timer[0], now) : NEVER);
			timer[1] = (timer[1] < NEVER -> min(timer[1], now) : NEVER)
		:: else ->
			atomic {
				start = PUT_OFF(at);
				overdue = start;
				i = (set_at[1] > set_at[0])
			};
			if
			:: IS_SET(0) || IS_SET(1)
			:: else -> set_at[i] = start; timer[i] = start
			fi;
			fd = at
		fi;
		atomic { at = 0; start = 0; i = 0 };
#ifdef MISTAKE_SET_NO_COMPARE
		asked = sets;
#endif
		if
		:: atomic { sets == asked -> sets = 0; asked = 0; break }
		:: atomic { else -> asked = sets }
		fi
	   od
	fi
}

/* by, with announced. */
inline by(time, ann) {
	atomic {
		w = min(next(word), time) * 2 + (word & 1 | ann);
		isLower = next(w) != next(word);
		word = w;
		w = 0
	};
	if
	:: atomic { isLower -> isLower = 0 }; set()
	:: else
	fi
}

#ifdef MISTAKE_COVERS_UNANNOUNCED
#define COVERS(w, d) (next(w) <= (d))
#else
#define COVERS(w, d) (((w) & 1) && next(w) <= (d))
#endif
#define SUITS(d, w) ((d) - MARGIN >= next(w))

inline want() {
	if
	:: isFar && !SUITS(k, word) -> wanted = 1
	:: else
	fi
}

inline announce() {
#ifdef MISTAKE_GIVEN_DEADLINE
	k = d;
#else
	k = (pending[t] -> deadline[t] : NEVER);
#endif
#ifndef MISTAKE_WANTED_LATE
	want();
#endif
	if
	:: COVERS(word, k)
	:: else ->	/* expect */
		n = now;
		n = min(max(k, n), n + LINGER);
		by(n, 1)
	fi
#ifdef MISTAKE_WANTED_LATE
	;
	want()
#endif
}

/* isFar: the timeout may be in the far lane. */
inline push() {
	isFar = SUITS(d, word);
	atomic {
		if
		:: stopped -> queued[t] = 0; pending[t] = 0; limit[t] = 0; hands = 0
		:: else -> inQueue[t] = NEAR + isFar
		fi
	}
}

active [PRODUCERS] proctype producer() {
	byte calls_made, t, d, k, n, start, i, asked;
	short w, at;
	bit owes, hands, isFar, isLower;

	do
	:: calls_made == CALLS -> break
	:: else ->
		atomic {
			calls_made++;
			busy++;
			if
			:: t = 0
#if TIMEOUTS > 1
			:: t = 1
#endif
			fi;
			if
			:: d = now + 1
			:: d = now + MARGIN + 1
			:: d = NEVER	/* Stop */
			fi
		};
#if WAKES
		if	/* wakeOverdue */
		:: atomic { now >= overdue && wakes < WAKES -> k = overdue };
#ifdef MISTAKE_OVERDUE_NO_CAS
			atomic { wakes++; overdue = now + 1; busy = busy + !extra; extra = 1; k = 0 }
#else
			atomic {
				if
				:: overdue == k -> wakes++; overdue = now + 1; busy = busy + !extra; extra = 1
				:: else
				fi;
				k = 0
			}
#endif
		:: true	/* the call reads no clock */
		fi;
#endif
		atomic {	/* one CAS of the timeout's word */
			if
			:: d == NEVER && pending[t] -> pending[t] = 0; limit[t] = 0; owes = !queued[t]; hands = owes
			:: d < NEVER && pending[t] && d < deadline[t] ->
				deadline[t] = d; limit[t] = d; owes = !queued[t];
#ifdef MISTAKE_EARLIER_NO_PUSH
				owes = 0;
				hands = queued[t]
#else
				hands = 1
#endif
			:: d < NEVER && pending[t] && d >= deadline[t] -> deadline[t] = d; limit[t] = max(limit[t], d)
			:: d < NEVER && !pending[t] && !stopped ->
				pending[t] = 1; deadline[t] = d; owes = !queued[t]; hands = 1
			:: else
			fi;
			queued[t] = queued[t] | hands;
			isFar = 1
		};
#ifdef MISTAKE_ANNOUNCE_BEFORE_PUSH
		if
		:: hands -> announce()
		:: else
		fi;
#endif
		if
		:: owes -> push()
		:: else
		fi;
#ifndef MISTAKE_ANNOUNCE_BEFORE_PUSH
		if
		:: hands -> announce()
		:: else
		fi;
#endif
		atomic {
			if
			:: hands && pending[t] -> limit[t] = max(deadline[t], now)
			:: else
			fi;
			t = 0; d = 0; k = 0; n = 0; owes = 0; hands = 0; isFar = 0;
			away()
		}
	od
}

inline take(l, s) {
	atomic {
		if
		:: inQueue[s] == l -> inQueue[s] = 0; inLists[s] = 1
		:: else
		fi
	}
}

/* fileOne. A time that is closed is put off to the next tick by place, and not by put, which is for an intake. */
#define PLACE(d) ((d) <= closed -> (closed / TICK + 1) * TICK : (d))
inline fileOne(s, isIntake) {
	if
	:: inLists[s] ->
		inLists[s] = 0;
		queued[s] = 0;
		filed[s] = (pending[s] -> (isIntake -> deadline[s] : PLACE(deadline[s])) : 0)
	:: else
	fi
}

/* claim, and the task. */
inline claim(s) {
	if
	:: filed[s] && filed[s] <= begun ->
		if
		:: pending[s] && !queued[s] && deadline[s] <= begun ->
			pending[s] = 0; limit[s] = 0; filed[s] = 0; dispatched = 1
		:: else -> filed[s] = (pending[s] -> PLACE(deadline[s]) : 0)
		fi
	:: else
	fi
}

#ifdef MISTAKE_DUE_NO_SINCE
#define IS_LATE false
#else
#ifdef MISTAKE_SINCE_PUT_OFF
#define IS_LATE (begun - last >= 2 * LINGER)
#else
#define IS_LATE (begun - since >= 2 * LINGER)
#endif
#endif

#define FILED_AT(s) (filed[s] && filed[s] < NEVER -> filed[s] : NEVER)
#ifdef MISTAKE_REST_NO_FAR
#define WAITS(s) false
#else
#ifdef MISTAKE_REST_NO_LISTS
#define WAITS(s) (inQueue[s] == FAR)
#else
#define WAITS(s) (inQueue[s] == FAR || inLists[s])
#endif
#endif
#define FAR_AT (WAITS(0) || WAITS(1) -> far_at : NEVER)

inline takeNear() { take(NEAR, 0); take(NEAR, 1) }

active proctype worker() {
	byte c, n, begun, since, start, exits, i, asked;
	short w, at;
	bit isCut, wasCut, takes, isBusy, dispatched, wasWanted, isLower;

end:	atomic { isCalled -> isCalled = 0 };
work:	atomic { c = calls; wasCut = isCut; takes = !isCut };
	if
	:: isCut -> goto pass
	:: else -> n = now
	fi;
#ifdef MISTAKE_TAKE_BEFORE_BEGIN
	takeNear();
#endif
begin:	atomic {
		w = word;
		at = PUT_OFF(next(w));
		if
		:: w == ENDED || at > n -> goto notDue
		:: else -> overdue = NEVER
		fi
	};
	atomic {
		if
		:: word != w -> goto begin
		:: else -> word = NO_RUN; since = next(w); w = 0; isBusy = 0; dispatched = 0
		fi
	};
	atomic {
		assert(at >= allowed || at == wholeTick(at) && at > last);
		last = at;
		allowed = max(allowed, at - BURST * TICK) + TICK;
		at = 0;
		isCut = 1
	};
pass:	atomic { mu == 0 -> mu = 1; begun = now; closed = begun };
	if
	:: takes && !stopped ->
#ifndef MISTAKE_TAKE_BEFORE_BEGIN
		takeNear();
#endif
		atomic { wasWanted = wanted; wanted = 0 };
		if
		:: wasWanted || begun >= far_at || IS_LATE -> far_at = begun + LINGER; take(FAR, 0); take(FAR, 1)
		:: else
		fi;
		wasWanted = 0
	:: else
	fi;
	atomic {
		isBusy = isBusy | inLists[0] | inLists[1];
		fileOne(0, 1);
		fileOne(1, 1);
		takes = 1;
		mu = 0
	};
	atomic { mu == 0; claim(0); claim(1) };
#if GOEXITS
	if
	:: atomic { dispatched && exits < GOEXITS -> exits++; begun = 0; goto work }
	:: true
	fi;
#endif
	if
	:: atomic { now >= begun + TICK -> begun = 0; goto pass }
	:: else
	fi;
	atomic {	/* nextWork */
		mu == 0 -> isCut = 0;
		n = (stopped -> NEVER : min(FAR_AT, min(FILED_AT(0), FILED_AT(1))))
	};
	atomic {	/* rest */
		if
		:: !dispatched && last - free >= LINGER -> free = last; allowed = allowed - TICK
		:: else
		fi;
		n = (isBusy -> min(n, now + LINGER) : n)
	};
	if
	:: n == NEVER -> set()
	:: else -> by(n, isBusy)
	fi;
	goto answered;
notDue:
#ifndef MISTAKE_EARLY_WAKE_ENDS
	if
	:: w != ENDED -> w = 0; set()
	:: else
	fi;
#endif
answered:
	atomic {
		begun = 0; n = 0; since = 0; w = 0; at = 0; takes = 0; dispatched = 0;
		if
#ifdef MISTAKE_CALLS_NO_COMPARE
		:: !wasCut ->
#else
#ifdef MISTAKE_CUT_ANSWERS
		:: calls == c ->
#else
		:: !wasCut && calls == c ->
#endif
#endif
			calls = 0; c = 0; isBusy = 0; away()
		:: else -> wasCut = 0; goto work
		fi
	};
	goto end
}

#if HELPERS
active proctype helper() {
	atomic { busy++; mu == 0 -> mu = 1 };
	takeNear();
	atomic { take(FAR, 0); take(FAR, 1); mu = 0 };
	atomic { mu == 0; fileOne(0, 0); fileOne(1, 0); away() }
}
#endif

#if STOPPERS
inline stopOne(s) {
	queued[s] = queued[s] && !inQueue[s] && !inLists[s];	/* about to be pushed: refused then */
	inQueue[s] = 0; inLists[s] = 0; filed[s] = 0;
	pending[s] = 0; limit[s] = 0
}

active proctype stopper() {
	byte start, i, asked;
	short at;

	atomic { busy++; mu == 0; stopped = 1; stopOne(0); stopOne(1) };
	word = ENDED;
	set();
	atomic { away() }
}
#endif

/* A timer fires, and its goroutine stores notSet, then calls wake. */
#define FIRE(t) \
	:: atomic { timer[t] <= now -> timer[t] = NEVER; fired[t]++; busy++ } \
	:: atomic { fired[t] > 0 -> fired[t]--; set_at[t] = NEVER; woken++ }

init {
	byte i;

	do
	:: atomic { now < LAST -> now++ }
	:: atomic { i < JUMPS -> i++; now = now + MARGIN + LINGER }
	FIRE(0)
	FIRE(1)
#if WAKES
	:: atomic { extra -> extra = 0; woken++ }
#endif
	:: atomic { woken > 0 -> woken--;
			calls++;
			if
			:: calls == 1 -> isCalled = 1
			:: else -> away()
			fi
		}
	:: atomic { timeout ->
			if
			:: first < NEVER -> now = max(now, first)
			:: else -> break
			fi
		}
	od;
	assert(busy == 0 && !queued[0] && !queued[1] && !pending[0] && !pending[1]);
	assert(stopped || word == NO_RUN)
}
