/* alarm.go, waker.go and the far lane's due, with the parts of worker.go and guarded.go that decide when the worker
 * runs next: who is the worker, and whether a waker is set in time for everything queued or filed. Names are those of
 * the Go code.
 *
 *   proctype    stands for
 *   producer    callers of Reset, Move and Timeout.Stop, who may find the worker overdue
 *   live        goroutines that time.Timers start: wake, or await, and work where the role is handed to a new goroutine
 *   helper      help, Pending, NextDue: a goroutine that takes stripes, and files them
 *   stopper     callers of Timer.StopAll
 *   init        time, the wakers, and the properties at the end
 *
 * Steps. due and status are one word: each load, store, CAS or Swap of it is a step, and so are each load, store and
 * CAS of far.due and overdue, each transition of a timeout's word, each push, each take of a stripe and each hold of
 * the lock. Two steps are one where no other process can tell: a load and the CAS that depends on it alone; in rest the
 * load, the wakers, which no other process touches then, and overdue; earliest, nextWake and allowed with the steps
 * between which the worker reads or writes them. A waker, the goroutine that it starts and the worker may be as late
 * as they like.
 *
 * A timeout has a separate stripe in each lane, and is filed under its own tick. A push goes to either lane, however
 * far away the deadline is: suits may guess wrong. NEAR_ONLY: it goes to the near lane. Time is in ticks of the wheel,
 * WHOLE of which make a Tick, and BURST is of alarm.go: it passes by itself up to LAST, then up to the next waker
 * whenever no process can move. due is the tick whose pass takes the queue (in Go the start of the tick before), and
 * far.due that of the far lane. From the tick overdue on a caller may wake the worker, and moves overdue on by a tick.
 *
 * USERS_CLOCK: a goroutine (await) waits in place of a waker, and no caller wakes the worker.
 *
 * Left out: pruning, the quota, a pass that follows another at once, stripes that are half as deep as where producers
 * help (they lower due further: dueNow), bubbles, ManualClock, which is the worker forever, and all that protocol.pml
 * has. nextWork reads the wheel alone here. That is enough: whatever another drain has yet to file was pushed after due
 * was raised, or is of the intake, so its producer lowers due. The Go code may wake sooner.
 *
 * Properties, whenever no call is under way and no goroutine is about to move:
 *
 *   wake-up   nobody is the worker, every pending timeout is queued or filed, and a waker is set for nextWake
 *   late      nextWake is no later than the first whole Tick from each pending timeout's limit on; due is no later than
 *             the limit. That is the timeout's tick, or the tick after the one in which the call that armed or moved
 *             it returned, or after the one that a late worker has read (slip)
 *   linger    if anything is queued, due is the linger from now or before, and nextWake no later than the first whole
 *             Tick from that on
 *   earliest  earliest is each pending timeout's limit or before, and no later than nextWake: Stats depends on it
 *   far       a timeout that waits in the far lane is taken in time: far.due is its tick or before, and the linger from
 *             now or before
 *   tidy      with nothing filed, queued or due there is no next run; wakers that were set before fire once for nothing
 *   overdue   a caller may wake the worker if there is a next run, only then, and not before it is overdue
 *   stop      after Timer.StopAll no waker is set, no caller wakes the worker, and done is closed
 *   counted   running counts the goroutine that waits for a user's clock, and one until Timer.StopAll
 *
 * And at each run, except on a user's clock: nextWake has begun, is a whole Tick or allowed, and is later than that of
 * the last run; unless a producer has read the clock before the last pass, and become the worker after it.
 *
 * In every state one goroutine is the worker, only that one touches the wakers, and none begins a pass once done is
 * closed. When no process can move any more, every timeout is settled, and due is never. So a due that was lowered for
 * nothing (the timeout was taken between its push and the CAS that lowers, or a helper has filed it, or it was
 * moved while it lay in the lists) costs one pass, within the linger.
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CALLS
#define CALLS 1
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
#ifndef LIVES
#define LIVES 2		/* goroutines of time.Timers at the same time */
#endif
#ifndef WAKES
#define WAKES 0		/* so many times a caller finds the worker overdue, and wakes it */
#endif
#ifndef WAKERS
#define WAKERS 2		/* or 1 */
#endif
#ifndef LAST
#define LAST 2
#endif
#ifndef LINGER
#define LINGER 3
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 2
#endif
#ifndef LATER
#define LATER 9		/* the later deadline; the other is the next tick */
#endif
#ifndef WHOLE
#define WHOLE 2		/* ticks.whole */
#endif
#ifndef BURST
#define BURST 0
#endif

#define LONG  14	/* maxDeadline: later than every tick, earlier than noDue */
#define NEVER 15	/* noDue, noTick, notOverdue */

#define ASLEEP 0
#define AWAKE  1
#define WOKEN  2
#define ENDED  3

#define IDLE     0
#define PENDING  1
#define CANCELED 2

#define NEAR 1
#define FAR  2

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))

byte now;

typedef farLane { byte due = LINGER };	/* as if a pass at tick 0 had taken it */
farLane far;

/* alarm */
byte due = NEVER, status = ASLEEP;	/* the word */
byte nextWake = NEVER, earliest = NEVER;
short allowed;
short ran = -1;		/* the nextWake of the last run */
short closed = -WHOLE;	/* tick of the last pass, which the wheel has closed */
byte called;		/* goroutines that a waker has started, and that have not run yet */
#ifdef USERS_CLOCK
#define UNSET  0
#define WAITS  1
#define CALLED 2	/* the channel has received, and the goroutine has not run yet */
byte waiter;		/* the goroutine whose cancel is clockWaker.cancel */
byte wait;		/* the tick for which it waits; 0 once it is dismissed */
byte dismissed;		/* of those called, which may take either case of the select */
byte leaving;		/* dismissed, and yet to Leave */
#define MAY_LIVE (called > dismissed)
#define NEXT_IS_SET (waiter == WAITS && wait == nextWake)
#define NONE_SET (waiter != WAITS)
#define NEXT_WAKER (waiter == WAITS -> wait : NEVER)
#else
#define MAY_LIVE (called > 0)
byte waker[WAKERS];	/* the tick for which it is set; 0: it is free */
bit timer[WAKERS];	/* its time.Timer fires at that tick or later; 0: it has fired, or was never set */
byte overdue = NEVER;
#if WAKES
byte wakes;		/* so many times a caller has woken the worker */
bit extra;		/* the timer of callers is to fire at once */
#endif
hidden byte j, b;
#if WAKERS == 1
#define ANY_WAKER(is) is(0)
#define NEXT_WAKER FIRES_AT(0)
#else
#define ANY_WAKER(is) (is(0) || is(1))
#define NEXT_WAKER min(FIRES_AT(0), FIRES_AT(1))
#endif
#define FIRES_AT(i) (timer[i] -> waker[i] : NEVER)
#define IS_FOR_NEXT(i) (timer[i] && waker[i] == nextWake)
#define NEXT_IS_SET ANY_WAKER(IS_FOR_NEXT)
#define NONE_SET (NEXT_WAKER == NEVER)
#endif

/* the word of each timeout, and where it is */
byte state[2], deadline[2], filed[2];	/* filed: under this tick; 0: not */
byte inQueue[2];	/* in which lane; 0: in none */
bit queued[2], inLists[2], inBatch[2], deferred[2];
bit mu, stopped;

/* executor.go */
byte running = 1;
bit done;

byte exits;	/* tasks that have ended the goroutine */
bit handed;	/* the role is given to a goroutine by start */
bit cut;	/* the pass was cut short, and the batch is not settled */
byte cutAt = NEVER;	/* the tick of that pass */

/* ghosts */
byte busy;	/* calls under way, and goroutines about to move */
byte owner;	/* who is the worker: a process */
byte limit[2];	/* of a pending timeout: no pass may be later than the Tick from then on; 0: of others */
bit stale;	/* a producer has become the worker with a tick before the last pass */
#define COMING 255
#define mine assert(owner == _pid)

/* roundUp of ticks.go. */
#ifdef MISTAKE_ROUND_UP_PAST
#define roundUp(t) (((t) / WHOLE + 1) * WHOLE)
#else
#define roundUp(t) WHOLE_FROM(t)
#endif
#define WHOLE_FROM(t) (((t) + WHOLE - 1) / WHOLE * WHOLE)

#define HOME(t) (inQueue[t] || inLists[t] || filed[t])
#define ON_TIME(t) (state[t] != PENDING || HOME(t) && (deadline[t] == LONG || nextWake <= WHOLE_FROM(limit[t])))
#define IS_EARLIEST(t) (state[t] != PENDING || deadline[t] == LONG || earliest <= limit[t])
#define IS_TAKEN(t) (state[t] != PENDING || !inQueue[t] || \
	due <= limit[t] && (inQueue[t] == NEAR || far.due <= limit[t]))
#define IN_LINGER(t) (!queued[t] || inQueue[t] && due <= now + LINGER && nextWake <= WHOLE_FROM(now + LINGER))
#define EMPTY(t) (!inQueue[t] && !inLists[t] && (filed[t] == 0 || filed[t] == LONG))

inline rests() {
	assert(status == ASLEEP && owner == 0 && !handed);
	assert(!inBatch[0] && !inBatch[1] && !deferred[0] && !deferred[1]);
	assert(ON_TIME(0) && ON_TIME(1));
	assert(nextWake == NEVER || NEXT_IS_SET);
	assert(IS_EARLIEST(0) && IS_EARLIEST(1) && earliest <= nextWake);
	assert(due == NEVER || earliest <= max(due, now + 1) && due <= now + LINGER);
	assert(far.due <= now + LINGER && IS_TAKEN(0) && IS_TAKEN(1));
	assert(IN_LINGER(0) && IN_LINGER(1));
	assert(due < NEVER || nextWake == NEVER || earliest <= now || !EMPTY(0) || !EMPTY(1));	/* at now: once more */
#ifdef USERS_CLOCK
	assert(running == 1 + (waiter == WAITS) && (nextWake < NEVER || waiter != WAITS))
#else
	assert(running == 1);
	assert((overdue == NEVER) == (nextWake == NEVER));
	assert(overdue == NEVER || overdue <= max(nextWake, now + 1))
#endif
}

/* away ends what is under way. */
inline away() {
	busy--;
	if
	:: busy == 0 && !stopped -> rests()
	:: busy == 0 && stopped ->
		assert(status == ENDED && NONE_SET && owner == 0 && running == 0 && done);
#ifndef USERS_CLOCK
		assert(overdue == NEVER)
#endif
	:: else
	fi
}

inline enter() { running++ }

inline leave() {
	atomic {
		assert(running > 0);
		running--;
		if
		:: running == 0 ->
			assert(stopped);
			done = 1
		:: else
		fi
	}
}

#ifdef USERS_CLOCK
#ifdef MISTAKE_WAITER_UNCOUNTED
#define ENTER_WAITER 0
#else
#define ENTER_WAITER 1
#endif
inline dismiss() {
#ifndef MISTAKE_WAITER_STAYS
	if
	:: waiter == WAITS -> leaving++; busy++
	:: waiter == CALLED -> dismissed++
	:: else
	fi;
#endif
	waiter = UNSET;
	wait = 0
}

/* set, which is clockWaker's here. */
inline set_(tick_) {
	mine;
	if
	:: tick_ == NEVER -> dismiss()
	:: tick_ < NEVER && waiter != UNSET && wait == tick_
	:: else ->
		dismiss();
		waiter = WAITS;
		running = running + ENTER_WAITER;
		wait = tick_
	fi
}

inline stop_()           { dismiss() }
inline forget(tick_)     { dismiss() }
inline overdueFrom(tick) { skip }
#else
inline set_(tick_) {
	mine;
	d_step {
		j = 0;
		b = 0;
		do
		:: j == WAKERS || waker[j] == tick_ -> break
		:: else ->
			b = (waker[b] && (waker[j] == 0 || waker[j] > waker[b]) -> j : b);
			j++
		od;
		if
		:: tick_ == NEVER -> unset()
		:: j == WAKERS && tick_ < NEVER -> waker[b] = tick_; timer[b] = 1
		:: else
		fi
	}
}

inline unset() {
	for (j : 0 .. WAKERS - 1) {
		timer[j] = 0;
		waker[j] = 0
	}
	j = 0
}

inline stop_() {
	d_step {
		unset();
#ifndef MISTAKE_STOP_KEEPS_OVERDUE
		overdue = NEVER
#endif
	}
}

inline forget(tick_) {
	d_step {
		for (j : 0 .. WAKERS - 1) {
			waker[j] = (waker[j] <= tick_ -> 0 : waker[j])
		}
	}
}

inline overdueFrom(tick_) { overdue = (tick_ < NEVER -> tick_ : overdue) }
#endif

/* setFor, for next. */
inline setFor() {
	earliest = next;
	nextWake = (next < allowed -> roundUp(next) : next);
	set_(nextWake);
	overdueFrom(nextWake)
}

/* rest, for tick, which is seen in Go, and next. It ends with both 0. */
inline rest() {
	do
	:: atomic { status == ENDED -> mine;
#ifndef MISTAKE_ENDED_KEEPS_WAKERS
			stop_();
#endif
			owner = 0; tick = 0; next = 0;
			break
		}
	:: atomic { status == WOKEN -> mine;
#ifdef MISTAKE_FORGET_BEFORE_CAS
			forget(now)
		};
		status = (status == WOKEN -> AWAKE : status)
#else
			status = AWAKE
		};
		atomic { forget(now) }
#endif
	:: atomic { status == AWAKE -> mine;	/* tick: of the last pass, or before the producer's lower */
			w = due;
			if
			:: w < NEVER -> next = min(next, min(max(tick + 1, w), tick + LINGER))
			:: else
			fi;
			setFor()
		};
		atomic {
			if
#ifdef MISTAKE_AWAY_IGNORES_DUE
			:: status == AWAKE ->
#else
			:: status == AWAKE && due == w ->
#endif
				due = (w < NEVER -> min(w, tick + LINGER) : NEVER);
				status = ASLEEP;
				owner = 0; tick = 0; w = 0; next = 0;
				break
			:: else -> w = 0
			fi
		}
	od
}

/* lower leaves hit: the caller is the worker. */
inline lower(k, who) {
	if
	:: due <= k || status == ENDED
	:: else ->
		due = k;
		if
		:: status == ASLEEP -> status = AWAKE; assert(owner == 0); owner = who; hit = 1
		:: else
		fi
	fi
}

inline expect(k) {
#ifdef USERS_CLOCK
	if
#ifdef MISTAKE_ENTER_AFTER_CAS
	:: atomic { k < due -> lower(k, COMING) };
		if
		:: atomic { hit -> hit = 0; enter(); handed = 1; busy++ }
		:: else
		fi
#else
	:: atomic { k < due -> enter() };
		atomic { lower(k, COMING) };
		if
		:: atomic { hit -> hit = 0; handed = 1; busy++ }
		:: else -> leave()
		fi
#endif
	:: else
	fi
#else
	tick = now;
#ifdef MISTAKE_EARLIEST_READ_EARLY
	next = earliest;
#endif
	atomic {
		lower(k, _pid);
		if
		:: hit -> stale = stale || tick < closed;
#ifdef MISTAKE_EXPECT_TAKES_NEXT_WAKE
			next = nextWake
#else
#ifndef MISTAKE_EARLIEST_READ_EARLY
			next = earliest
#endif
#endif
		:: else -> tick = 0; next = 0
		fi
	};
	if
	:: hit -> hit = 0; rest()
	:: else
	fi
#endif
}

/* answer leaves hit: the goroutine is the worker. */
inline answer() {
	atomic {
		if
		:: status == ASLEEP -> status = AWAKE; assert(owner == 0); owner = _pid; hit = 1
#ifndef MISTAKE_NO_WOKEN
		:: status == AWAKE -> status = WOKEN
#endif
		:: else
		fi
	}
}

inline takeStripe(l, s) {
	atomic { inLists[s] = inLists[s] || inQueue[s] == l; inQueue[s] = (inQueue[s] == l -> 0 : inQueue[s]) }
}

/* takeLane, with the lock held. While a stripe is pruned the lock is released. */
inline takeLane(l) {
	takeStripe(l, 0);
#if HELPERS || STOPPERS
	if
	:: mu = 0; atomic { mu == 0 -> mu = 1 }
	:: true
	fi;
#endif
	takeStripe(l, 1)
}

inline unqueue(t) {
	queued[t] = 0;
	filed[t] = (state[t] == PENDING -> max(deadline[t], filed[t]) : 0)
}

/* first: the first tick that is open for it, which is the wheel's current or opening; 0: current. */
inline fileOne(t, first) {
	if
	:: inLists[t] && inBatch[t] -> inLists[t] = 0; deferred[t] = 1
	:: inLists[t] && !inBatch[t] -> inLists[t] = 0; filed[t] = first; unqueue(t)
	:: else
	fi
}

inline consider(t) {
	if
	:: filed[t] && filed[t] <= tick ->
		if
		:: state[t] != PENDING -> filed[t] = 0
		:: state[t] == PENDING && (queued[t] || deadline[t] > tick) -> filed[t] = max(deadline[t], tick + 1)
		:: else -> filed[t] = 0; inBatch[t] = 1
		fi
	:: else
	fi
}

/* claim, and the task. */
inline handOutOne(t) {
	atomic {
		if
		:: inBatch[t] && state[t] == PENDING && !queued[t] && deadline[t] <= tick ->
			state[t] = IDLE; limit[t] = 0; hit = 1
		:: else
		fi
	};
#if GOEXITS
	if
	:: atomic { hit && exits < GOEXITS -> hit = 0; exits++; goto interrupted }
	:: hit = 0
	fi
#else
	hit = 0
#endif
}

inline settleOne(t) {
	if
	:: inBatch[t] ->
		inBatch[t] = 0;
		filed[t] = (state[t] == PENDING && !(queued[t] && stopped) -> max(deadline[t], tick + 1) : 0)
	:: else
	fi;
	if
	:: deferred[t] -> deferred[t] = 0; filed[t] = (filed[t] -> tick + 1 : 0); unqueue(t)
	:: else
	fi
}

#define DUE_AT(t) (filed[t] && filed[t] < LONG -> filed[t] : NEVER)

inline guarded_nextWork() { next = min(DUE_AT(0), DUE_AT(1)) }

/* lower, by the worker, to far.due, which it reads again. */
inline lowerToFar() {
#ifndef MISTAKE_FAR_READ_EARLY
	w = far.due;
#endif
	atomic { lower(w, _pid); assert(!hit) }
}

#ifdef MISTAKE_BEGIN_TAKES_EARLIEST
#define WAKES_AT earliest
#else
#define WAKES_AT nextWake
#endif

/* A pass closes its tick: the tick after it is the wheel's opening. */
#define CLOSE closed = tick

/* A run that was due at t. With FREE it may not count, as one that dispatches nothing does not once a linger. Left out:
 * the limit of the debt, which is met on a user's clock only.
 */
#define ALLOW(t) allowed = max(allowed, (t) - BURST * WHOLE) + WHOLE
#ifdef FREE
#define COUNT(t) if :: ALLOW(t) :: true fi
#else
#define COUNT(t) ALLOW(t)
#endif

/* due was lowered after this goroutine became the worker and before it read the clock: so it is late itself. */
inline slip(t) { limit[t] = (limit[t] && due <= tick -> max(limit[t], tick + 1) : limit[t]) }

proctype live() {
	byte tick, next, w;
	bit hit;

end:
	if
#ifdef USERS_CLOCK
	:: atomic { MAY_LIVE -> called--; waiter = UNSET }	/* its cancel is not waited for any more */
	:: atomic { dismissed > 0 -> dismissed--; called--;
			if
			:: true
			:: goto gone
			fi
		}
#else
	:: atomic { MAY_LIVE -> called--;
#ifndef MISTAKE_ENTER_AFTER_CAS
			enter()
#endif
		}
#endif
	:: atomic { handed -> handed = 0; owner = _pid; goto work }
	fi;
	answer();
#ifndef USERS_CLOCK
#ifdef MISTAKE_ENTER_AFTER_CAS
	enter();
#endif
#endif
	if
	:: hit -> hit = 0
	:: else -> goto gone
	fi;
work:
	atomic {	/* begin */
		mine;
		assert(!done);
		tick = now;
#ifndef MISTAKE_WAKE_KEEPS_RECORD
		forget(tick);
#endif
#ifdef USERS_CLOCK
		earliest = min(earliest, tick);
		nextWake = min(nextWake, tick);
#else
		next = earliest;
		if
#ifdef MISTAKE_EARLY_WAKE_ENDS
		:: nextWake > tick -> tick = 0; next = 0; status = ASLEEP; owner = 0; goto gone
#else
		:: WAKES_AT > tick -> slip(0); slip(1); goto away_
#endif
		:: else -> overdue = NEVER
		fi;
		assert(cut || nextWake <= tick && (nextWake >= allowed || nextWake == WHOLE_FROM(nextWake)));
		assert(cut || stale || nextWake > ran);
		ran = nextWake;
#endif
		stale = 0
	};
#if GOEXITS
	if
#ifdef MISTAKE_GOEXIT_RESTS
	:: cut -> goto nextWork
#else
	:: cut -> goto handOut
#endif
	:: else
	fi;
beginPass:
#endif
#ifdef MISTAKE_FAR_READ_EARLY
	w = far.due;
#endif
	atomic {
		mu == 0;
		if
#if GOEXITS
		:: status == ENDED || due == NEVER || cutAt == tick -> CLOSE; goto takeDue	/* isCut */
#else
		:: status == ENDED || due == NEVER -> CLOSE; goto takeDue
#endif
		:: else
		fi;
		if	/* raise */
		:: due > tick -> due = min(due, tick + LINGER); CLOSE; goto takeDue
		:: else -> mu = 1
		fi;
#ifdef MISTAKE_RAISE_AFTER_TAKE
	};
	takeLane(NEAR);
	atomic {
		due = (status == ENDED -> due : NEVER)
	};
#else
		due = NEVER
	};
	takeLane(NEAR);
#endif
#ifndef MISTAKE_FAR_READ_EARLY
	w = far.due;
#endif
	if	/* raiseFar */
	:: w <= tick ->
#ifdef MISTAKE_FAR_RAISED_LATE
		takeLane(FAR);
		far.due = tick + LINGER
#else
		far.due = tick + LINGER;
		takeLane(FAR)
#endif
#ifdef MISTAKE_FAR_LEFT
	:: else
#else
	:: w > tick && inQueue[0] == FAR -> lowerToFar()
	:: w > tick && inQueue[0] != FAR ->
		if
		:: inQueue[1] == FAR -> lowerToFar()
		:: else
		fi
#endif
	fi;
	atomic { w = 0; fileOne(0, 0); fileOne(1, 0); CLOSE; mu = 0 };
takeDue:
	atomic {
		mu == 0;
		if
		:: !stopped -> consider(0); consider(1)
		:: else
		fi;
#ifdef MISTAKE_WAKE_BEFORE_SETTLE
		guarded_nextWork();
#endif
		if
		:: inBatch[0] || inBatch[1]
		:: else -> goto nextWork
		fi
	};
handOut:
	handOutOne(0);
	handOutOne(1);
	atomic {
		mu == 0;
		settleOne(0);
		settleOne(1);
#if GOEXITS
		if
		:: cut -> cut = 0; goto beginPass
		:: else
		fi
#endif
	};
nextWork:
	atomic {
		mu == 0;
#ifndef MISTAKE_WAKE_BEFORE_SETTLE
		guarded_nextWork();
#endif
#ifndef MISTAKE_ALLOW_AFTER_REST
		COUNT(nextWake);
#endif
		cutAt = NEVER
	};
away_:
#ifdef MISTAKE_ALLOW_AFTER_REST
	w = nextWake;
	rest();
	ALLOW(w);
	w = 0;
#else
	rest();
#endif
gone:
	leave();
	atomic { away(); goto end }
#if GOEXITS
interrupted:
	atomic {
		mine;
		cut = 1;
		cutAt = tick;
		tick = 0; next = 0;
		owner = COMING;
#ifdef MISTAKE_GOEXIT_DROPS_ROLE
		running--; away();
#else
		handed = 1;
#endif
		goto end
	}
#endif
}

/* push leaves hands: the timeout is to be announced. MAY_BE_FAR: it may wait in the far lane. */
#define MAY_BE_FAR 2
inline push_() {
	if
	:: push ->
		atomic {
			push = 0;
			if
			:: stopped -> queued[t] = 0; state[t] = IDLE; limit[t] = 0; hands = 0
			:: !stopped -> inQueue[t] = NEAR; hands = 1
#ifndef NEAR_ONLY
			:: !stopped -> inQueue[t] = FAR; hands = MAY_BE_FAR
#endif
			fi
		}
	:: else
	fi
}

inline lowerFar(k) { far.due = min(far.due, k) }

inline announce() {
	if
	:: hands ->
#ifdef MISTAKE_GIVEN_DEADLINE
		k = (d -> d : LONG);
#else
		k = (state[t] == PENDING -> deadline[t] : LONG);
#endif
#ifdef MISTAKE_FAR_LOWERED_LATE
		expect(k);
#endif
		if
		:: hands == MAY_BE_FAR -> lowerFar(k)
		:: else
		fi;
#ifndef MISTAKE_FAR_LOWERED_LATE
		expect(k)
#endif
	:: else
	fi
}

#if WAKES
inline wakeOverdue() {
	if
#ifdef MISTAKE_OVERDUE_NO_CAS
	:: atomic { now >= overdue && wakes < WAKES -> wakes++ };
		atomic { overdue = now + 1; busy = busy + !extra; extra = 1 }
#else
	:: atomic { now >= overdue && wakes < WAKES -> wakes++; overdue = now + 1; busy = busy + !extra; extra = 1 }
#endif
	:: true	/* it is not overdue yet, or the call reads no clock */
	fi
}
#endif

proctype producer() {
	byte calls, t, d, k, next, tick, w, hands;
	bit hit, push;

	do
	:: calls == CALLS -> break
	:: else ->
		atomic {
			calls++;
			busy++;
			if
			:: t = 0
#if TIMEOUTS > 1
			:: t = 1
#endif
			fi;
			if
			:: d = now + 1
			:: d = LATER
			:: d = 0	/* Stop */
			fi
		};
#if WAKES
		wakeOverdue();
#endif
		/* one CAS of the word */
		atomic {
			if
			:: d == 0 && state[t] == PENDING -> state[t] = CANCELED; limit[t] = 0; push = !queued[t]; queued[t] = 1
			:: d > 0 && state[t] == PENDING && d < deadline[t] ->
				deadline[t] = d; limit[t] = 0; push = !queued[t]; queued[t] = 1;
#ifdef MISTAKE_FAR_MOVED
				hands = 1
#else
				hands = MAY_BE_FAR
#endif
			:: d > 0 && state[t] == PENDING && d >= deadline[t] -> deadline[t] = d; limit[t] = max(limit[t], d)
			:: d > 0 && state[t] != PENDING && !stopped ->
				state[t] = PENDING; deadline[t] = d; push = !queued[t]; queued[t] = 1; hands = MAY_BE_FAR
			:: else
			fi
		};
#ifdef MISTAKE_ANNOUNCE_BEFORE_PUSH
		announce();
		push_()
#else
		push_();
		announce()
#endif
		;
		atomic {
			limit[t] = (hands && state[t] == PENDING && d > 0 -> max(limit[t], max(deadline[t], now + 1)) : limit[t]);
			t = 0; d = 0; k = 0; hands = 0;
			away()
		}
	od
}

#if HELPERS
proctype helper() {
	byte opening;

	atomic { busy++; mu == 0 -> mu = 1 };
	takeLane(NEAR);
	takeLane(FAR);
	if
	:: mu = 0; atomic { mu == 0 -> mu = 1 }	/* between two portions */
	:: true
	fi;
	atomic {
		opening = max(closed + 1, 0);
		fileOne(0, opening);
		fileOne(1, opening);
		opening = 0;
		mu = 0;
		away()
	}
}
#endif

#if STOPPERS
inline stopOne(t) {
	queued[t] = queued[t] && !inQueue[t] && !inLists[t] && !deferred[t];	/* about to be pushed: refused then */
	inQueue[t] = 0; inLists[t] = 0; deferred[t] = 0; filed[t] = 0;
	state[t] = (state[t] == PENDING -> CANCELED : state[t]);
	limit[t] = 0
}

proctype stopper() {
	bit isFirst, wasAsleep;

	busy++;
#ifdef MISTAKE_LEAVE_TOO_SOON
	leave();
#endif
	atomic {
		mu == 0;
		isFirst = !stopped;
		stopped = 1;
		stopOne(0);
		stopOne(1)
	};
	if
	:: isFirst ->
#ifndef MISTAKE_STOP_KEEPS_STATUS
		atomic { wasAsleep = status == ASLEEP; status = ENDED; due = 0 };
#endif
#ifdef MISTAKE_STOP_TOUCHES_WAKERS
		wasAsleep = 1;
#endif
		if
		:: atomic { wasAsleep -> assert(owner == 0); wasAsleep = 0; stop_() }
		:: else
		fi;
#ifndef MISTAKE_LEAVE_TOO_SOON
		leave()
#endif
	:: else
	fi;
	atomic { isFirst = 0; away() }
}
#endif

init {
	byte i;
	atomic {
		for (i : 1 .. PRODUCERS) { run producer() };
		for (i : 1 .. LIVES) { run live() };
#if HELPERS
		run helper();
#endif
#if STOPPERS
		for (i : 1 .. STOPPERS) { run stopper() };
#endif
		i = 0
	};
	do
	:: atomic { now < LAST -> now++ }
#ifdef USERS_CLOCK
	:: atomic { NEXT_WAKER <= now && called < LIVES -> waiter = CALLED; called++; busy++ }
	:: atomic { leaving > 0 -> leaving-- }; leave(); atomic { away() }
#else
	:: atomic { FIRES_AT(0) <= now && called < LIVES -> timer[0] = 0; called++; busy++ }
#if WAKES
	:: atomic { extra && called < LIVES -> extra = 0; called++ }
#endif
#if WAKERS > 1
	:: atomic { FIRES_AT(1) <= now && called < LIVES -> timer[1] = 0; called++; busy++ }
#endif
#endif
	:: atomic { timeout ->
			assert(busy == 0);
			if
			:: NEXT_WAKER < NEVER && now < NEXT_WAKER -> now = NEXT_WAKER
			:: else -> break
			fi
		}
	od;
	atomic {
		assert(NONE_SET && !queued[0] && !queued[1]);
		assert(state[0] != PENDING || deadline[0] == LONG);
		assert(state[1] != PENDING || deadline[1] == LONG);
		assert(EMPTY(0) && EMPTY(1));
		assert(stopped || due == NEVER)
	}
}
