/* alarm.go, and when worker.go comes: who is the worker, and whether a bell is set in time for all that is queued or
 * filed. Names are those of the Go code.
 *
 *   proctype    stands for
 *   producer    callers of Reset, Move and Timeout.Stop, who may find a bell overdue
 *   live        goroutines of package time's: ring, or await, and work where the role is handed to another goroutine
 *   helper      help, Pending, NextDue: whoever takes stripes, and files them
 *   stopper     callers of Timer.Stop
 *   init        time, the bells, and the properties at the end
 *
 * Steps. due and status are one word: each load, store, CAS or Swap of it is a step, and so are each load, store and
 * CAS of farDue and overdue, each transition of a timeout's word, each push, each take of a stripe and each hold of the
 * lock. Two steps are one where no other process can tell: a load and the CAS that depends on it alone; in rest the
 * load, the bells, which nobody else touches then, and overdue. Bells, goroutines of package time's, and whoever is the
 * worker, may be as late as they like.
 *
 * A timeout has a stripe of its own in each lane, and is filed under its own tick. A push goes to either lane, however
 * far away the deadline is: isFar may guess wrong. NEAR_ONLY: it goes to the near lane. Time is in ticks: it passes by
 * itself up to LAST, then up to the next bell whenever no process can move. due is the tick at which the queue is to be
 * looked at, farDue that of the far lane. From the tick overdue on a caller may ring, and moves overdue on by a tick.
 *
 * USERS_CLOCK: a goroutine (await) waits in place of a bell, and nobody rings for it.
 *
 * Left out: combing, MaxPending, a pass that follows another at once, stripes that are half as deep as where producers
 * help (they lower due further), ManualClock, which is the worker for good, and all that protocol.pml has. nextWork
 * looks at the wheel alone here. That is enough: what another drain has yet to file was pushed after due was raised,
 * or is of the intake, so its producer lowers due. The Go code may look sooner.
 *
 * Properties, whenever no call is under way and no goroutine is about to move:
 *
 *   wake-up   nobody is the worker, every pending timeout is queued or filed, and nextLook is its tick or before, due
 *             or before and, if anything is queued, the patience from now or before; a bell is set for nextLook
 *   far       a timeout that waits in the far lane is taken in time: farDue is its tick or before, and the patience
 *             from now or before
 *   tidy      with nothing filed, queued or due there is no next look; bells that were set before ring once for nothing
 *   overdue   a caller may ring if there is a next look, only then, and not before it is overdue
 *   stop      after Timer.Stop no bell is set, nobody rings, and done is closed
 *   counted   running counts the goroutine that waits for a user's clock, and one until Timer.Stop
 *
 * In every state one goroutine is the worker, only that one touches the bells, and none begins a pass once done is
 * closed. When no process can move any more, every timeout is settled, and due is never. So a due that was lowered for
 * nothing (the timeout was taken between its push and the CAS that lowers, or somebody else than a pass has filed it,
 * or it was moved while it lay in the lists) costs one pass, within the patience.
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
#define LIVES 2		/* goroutines of package time's at the same time */
#endif
#ifndef RINGS
#define RINGS 0		/* so many times a caller finds a bell overdue, and rings */
#endif
#ifndef BELLS
#define BELLS 2		/* or 1 */
#endif
#ifndef LAST
#define LAST 2
#endif
#ifndef PATIENCE
#define PATIENCE 3
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 2
#endif
#ifndef LATER
#define LATER 9		/* the later deadline; the other is the next tick */
#endif

#define LONG  14	/* maxDeadline: later than every tick, earlier than noDue */
#define NEVER 15	/* noDue, noTick, notOverdue */

#define ASLEEP 0
#define AWAKE  1
#define RUNG   2
#define ENDED  3

#define IDLE     0
#define PENDING  1
#define CANCELED 2

#define NEAR 1
#define FAR  2

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))

byte now;

/* alarm */
byte due = NEVER, status = ASLEEP;	/* the word */
byte farDue = PATIENCE;	/* as if a look at tick 0 had taken the far lane */
byte nextLook = NEVER;
byte called;		/* goroutines of package time's that have not run yet */
#ifdef USERS_CLOCK
#define UNSET  0
#define WAITS  1
#define CALLED 2	/* the channel has received, and the goroutine has not run yet */
byte waiter;		/* the goroutine whose cancel is alarm.cancel */
byte wait;		/* what it waits for; 0 once it is dismissed */
byte dismissed;		/* of those called, which may take either case of the select */
byte leaving;		/* dismissed, and yet to Leave */
#define MAY_LIVE (called > dismissed)
#define NEXT_IS_SET (waiter == WAITS && wait == nextLook)
#define NONE_SET (waiter != WAITS)
#define NEXT_BELL (waiter == WAITS -> wait : NEVER)
#else
#define MAY_LIVE (called > 0)
byte bell[BELLS];	/* the tick for which it is set; 0: it is free */
bit toRing[BELLS];	/* package time's: it rings at that tick or later; 0: it has rung, or was never set */
byte overdue = NEVER;
#if RINGS
byte rings;		/* so many times a caller has rung */
bit extra;		/* the bell of callers is to ring at once */
#endif
hidden byte j, b;
#if BELLS == 1
#define ANY_BELL(is) is(0)
#define NEXT_BELL RINGS_AT(0)
#else
#define ANY_BELL(is) (is(0) || is(1))
#define NEXT_BELL min(RINGS_AT(0), RINGS_AT(1))
#endif
#define RINGS_AT(i) (toRing[i] -> bell[i] : NEVER)
#define IS_FOR_NEXT(i) (toRing[i] && bell[i] == nextLook)
#define NEXT_IS_SET ANY_BELL(IS_FOR_NEXT)
#define NONE_SET (NEXT_BELL == NEVER)
#endif

/* the word of each timeout, and where it is */
byte state[2], deadline[2], filed[2];	/* filed: under this tick; 0: not */
byte inQueue[2];	/* in which lane; 0: in none */
bit queued[2], inLists[2], inBatch[2], held[2];
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
#define COMING 255
#define mine assert(owner == _pid)

#define LIMIT(t) max(deadline[t], now + 1)
#define HOME(t) (inQueue[t] || inLists[t] || filed[t])
#define ON_TIME(t) (state[t] != PENDING || HOME(t) && (deadline[t] == LONG || nextLook <= LIMIT(t)))
#define LOOKED_AT(t) (state[t] != PENDING || !inQueue[t] || \
	due <= LIMIT(t) && (inQueue[t] == NEAR || farDue <= LIMIT(t)))
#define IN_PATIENCE(t) (!queued[t] || inQueue[t] && due < NEVER && nextLook <= now + PATIENCE)
#define EMPTY(t) (!inQueue[t] && !inLists[t] && (filed[t] == 0 || filed[t] == LONG))

inline rests() {
	assert(status == ASLEEP && owner == 0 && !handed);
	assert(!inBatch[0] && !inBatch[1] && !held[0] && !held[1]);
	assert(ON_TIME(0) && ON_TIME(1));
	assert(nextLook == NEVER || NEXT_IS_SET);
	assert(due == NEVER || nextLook <= max(due, now + 1) && due <= now + PATIENCE);
	assert(farDue <= now + PATIENCE && LOOKED_AT(0) && LOOKED_AT(1));
	assert(IN_PATIENCE(0) && IN_PATIENCE(1));
	assert(due < NEVER || nextLook == NEVER || nextLook <= now || !EMPTY(0) || !EMPTY(1));	/* at now: once more */
#ifdef USERS_CLOCK
	assert(running == 1 + (waiter == WAITS) && (nextLook < NEVER || waiter != WAITS))
#else
	assert(running == 1);
	assert((overdue == NEVER) == (nextLook == NEVER));
	assert(overdue == NEVER || overdue <= max(nextLook, now + 1))
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

/* set, which is setUsers here. */
inline set_(tick_) {
	mine;
	if
	:: tick_ == NEVER || waiter != UNSET && wait == tick_
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
		:: j == BELLS || bell[j] == tick_ -> break
		:: else ->
			b = (bell[b] && (bell[j] == 0 || bell[j] > bell[b]) -> j : b);
			j++
		od;
		if
		:: j == BELLS && tick_ < NEVER -> bell[b] = tick_; toRing[b] = 1
		:: else
		fi
	}
}

inline stop_() {
	d_step {
		for (j : 0 .. BELLS - 1) {
			toRing[j] = 0
		}
#ifndef MISTAKE_STOP_KEEPS_OVERDUE
		overdue = NEVER
#endif
	}
}

inline forget(tick_) {
	d_step {
		for (j : 0 .. BELLS - 1) {
			bell[j] = (bell[j] <= tick_ -> 0 : bell[j])
		}
	}
}

inline overdueFrom(tick_) { overdue = (tick_ < NEVER -> tick_ : overdue) }
#endif

/* rest, for tick and next. It ends with both 0. */
inline rest() {
	do
	:: atomic { status == ENDED -> mine;
#ifndef MISTAKE_ENDED_KEEPS_BELLS
			stop_();
#endif
			owner = 0; tick = 0; next = 0;
			break
		}
	:: atomic { status == RUNG -> mine;
#ifdef MISTAKE_FORGET_BEFORE_CAS
			forget(now)
		};
		status = (status == RUNG -> AWAKE : status)
#else
			status = AWAKE
		};
		atomic { forget(now) }
#endif
	:: atomic { status == AWAKE -> mine;	/* tick: of the last pass, or before the producer's lower */
			w = due;
			if
			:: w < NEVER -> next = min(next, min(max(tick + 1, w), tick + PATIENCE))
			:: else
			fi;
			nextLook = next;
			set_(next);
			overdueFrom(next)
		};
		atomic {
			if
#ifdef MISTAKE_AWAY_IGNORES_DUE
			:: status == AWAKE ->
#else
			:: status == AWAKE && due == w ->
#endif
				due = (w < NEVER -> min(w, tick + PATIENCE) : NEVER);
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
	atomic {
		lower(k, _pid);
		if
		:: hit -> next = nextLook
		:: else -> tick = 0
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
#ifndef MISTAKE_NO_RUNG
		:: status == AWAKE -> status = RUNG
#endif
		:: else
		fi
	}
}

inline takeStripe(l, s) {
	atomic { inLists[s] = inLists[s] || inQueue[s] == l; inQueue[s] = (inQueue[s] == l -> 0 : inQueue[s]) }
}

/* takeLane, with the lock held. While a stripe is combed the lock is released. */
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

inline fileOne(t) {
	if
	:: inLists[t] && inBatch[t] -> inLists[t] = 0; held[t] = 1
	:: inLists[t] && !inBatch[t] -> inLists[t] = 0; filed[t] = 0; unqueue(t)
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
		:: inBatch[t] && state[t] == PENDING && !queued[t] && deadline[t] <= tick -> state[t] = IDLE; hit = 1
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
	:: held[t] -> held[t] = 0; filed[t] = (filed[t] -> tick + 1 : 0); unqueue(t)
	:: else
	fi
}

#define DUE_AT(t) (filed[t] && filed[t] < LONG -> filed[t] : NEVER)

inline guarded_nextWork() { next = min(DUE_AT(0), DUE_AT(1)) }

/* lower, by the worker, to farDue, which it reads again. */
inline lowerToFar() {
#ifndef MISTAKE_FAR_READ_EARLY
	w = farDue;
#endif
	atomic { lower(w, _pid); assert(!hit) }
}

proctype live() {
	byte tick, next, w;
	bit hit;

end:
	if
#ifdef USERS_CLOCK
	:: atomic { MAY_LIVE -> called--; waiter = UNSET }	/* nobody waits for its cancel any more */
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
#ifndef MISTAKE_RING_KEEPS_RECORD
		forget(tick);
#endif
		next = nextLook;
#ifdef USERS_CLOCK
		nextLook = min(nextLook, tick)
#else
		if
#ifdef MISTAKE_EARLY_RING_ENDS
		:: next > tick -> tick = 0; next = 0; status = ASLEEP; owner = 0; goto gone
#else
		:: next > tick -> goto away_
#endif
		:: else -> overdue = NEVER
		fi
#endif
	};
#if GOEXITS
	if
#ifdef MISTAKE_GOEXIT_RESTS
	:: cut -> goto look
#else
	:: cut -> goto handOut
#endif
	:: else
	fi;
beginPass:
#endif
#ifdef MISTAKE_FAR_READ_EARLY
	w = farDue;
#endif
	atomic {
		mu == 0;
		if
#if GOEXITS
		:: status == ENDED || due == NEVER || cutAt == tick -> goto takeDue	/* isCut */
#else
		:: status == ENDED || due == NEVER -> goto takeDue
#endif
		:: else
		fi;
		if	/* raise */
		:: due > tick -> due = min(due, tick + PATIENCE); goto takeDue
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
	w = farDue;
#endif
	if	/* raiseFar */
	:: w <= tick ->
#ifdef MISTAKE_FAR_RAISED_LATE
		takeLane(FAR);
		farDue = tick + PATIENCE
#else
		farDue = tick + PATIENCE;
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
	atomic { w = 0; fileOne(0); fileOne(1); mu = 0 };
takeDue:
	atomic {
		mu == 0;
		if
		:: !stopped -> consider(0); consider(1)
		:: else
		fi;
#ifdef MISTAKE_LOOK_BEFORE_SETTLE
		guarded_nextWork();
#endif
		if
		:: inBatch[0] || inBatch[1]
		:: else -> goto look
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
look:
	atomic {
		mu == 0;
#ifndef MISTAKE_LOOK_BEFORE_SETTLE
		guarded_nextWork();
#endif
		cutAt = NEVER
	};
away_:
	rest();
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
			:: stopped -> queued[t] = 0; state[t] = IDLE; hands = 0
			:: !stopped -> inQueue[t] = NEAR; hands = 1
#ifndef NEAR_ONLY
			:: !stopped -> inQueue[t] = FAR; hands = MAY_BE_FAR
#endif
			fi
		}
	:: else
	fi
}

inline lowerFar(k) { farDue = min(farDue, k) }

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

#if RINGS
inline ringOverdue() {
	if
#ifdef MISTAKE_OVERDUE_NO_CAS
	:: atomic { now >= overdue && rings < RINGS -> rings++ };
		atomic { overdue = now + 1; busy = busy + !extra; extra = 1 }
#else
	:: atomic { now >= overdue && rings < RINGS -> rings++; overdue = now + 1; busy = busy + !extra; extra = 1 }
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
#if RINGS
		ringOverdue();
#endif
		/* one CAS of the word */
		atomic {
			if
			:: d == 0 && state[t] == PENDING -> state[t] = CANCELED; push = !queued[t]; queued[t] = 1
			:: d > 0 && state[t] == PENDING && d < deadline[t] ->
				deadline[t] = d; push = !queued[t]; queued[t] = 1;
#ifdef MISTAKE_FAR_MOVED
				hands = 1
#else
				hands = MAY_BE_FAR
#endif
			:: d > 0 && state[t] == PENDING && d >= deadline[t] -> deadline[t] = d
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
		atomic { t = 0; d = 0; k = 0; hands = 0; away() }
	od
}

#if HELPERS
proctype helper() {
	atomic { busy++; mu == 0 -> mu = 1 };
	takeLane(NEAR);
	takeLane(FAR);
	if
	:: mu = 0; atomic { mu == 0 -> mu = 1 }	/* between two portions */
	:: true
	fi;
	atomic { fileOne(0); fileOne(1); mu = 0; away() }
}
#endif

#if STOPPERS
inline stopOne(t) {
	queued[t] = queued[t] && !inQueue[t] && !inLists[t] && !held[t];	/* about to be pushed: refused then */
	inQueue[t] = 0; inLists[t] = 0; held[t] = 0; filed[t] = 0;
	state[t] = (state[t] == PENDING -> CANCELED : state[t])
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
#ifdef MISTAKE_STOP_TOUCHES_BELLS
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
	:: atomic { NEXT_BELL <= now && called < LIVES -> waiter = CALLED; called++; busy++ }
	:: atomic { leaving > 0 -> leaving-- }; leave(); atomic { away() }
#else
	:: atomic { RINGS_AT(0) <= now && called < LIVES -> toRing[0] = 0; called++; busy++ }
#if RINGS
	:: atomic { extra && called < LIVES -> extra = 0; called++ }
#endif
#if BELLS > 1
	:: atomic { RINGS_AT(1) <= now && called < LIVES -> toRing[1] = 0; called++; busy++ }
#endif
#endif
	:: atomic { timeout ->
			assert(busy == 0);
			if
			:: NEXT_BELL < NEVER && now < NEXT_BELL -> now = NEXT_BELL
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
