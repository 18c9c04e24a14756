/* alarm.go, and when worker.go comes: who has the worker's part, and whether the alarm is set in time for all that is
 * queued or filed. Names are those of the Go code.
 *
 *   proctype    stands for
 *   producer    callers of Reset, Move and Timeout.Stop
 *   live        goroutines of package time's: live, and work where the part is handed to another goroutine
 *   helper      help, Pending, NextDue: whoever takes stripes, and files them
 *   stopper     callers of Timer.Stop
 *   init        time, the alarm, and the properties at the end
 *
 * Steps. due and status are one word: each load, store, CAS or Swap of it is a step, and so are each transition of a
 * timeout's word, each push, each take of a stripe and each hold of the lock. Two steps are one where no other process
 * can tell: a load and the CAS that depends on it alone; in rest the load and the alarm, which nobody else touches
 * then. The alarm's goroutines, and whoever has the part, may be as late as they like.
 *
 * A timeout has a stripe of its own, and is filed under its own tick. Time is in ticks: it passes by itself up to LAST,
 * then up to the alarm whenever no process can move. due is the tick at which the queue is to be looked at.
 *
 * USERS_CLOCK: a goroutine (await) waits in place of package time's alarm. alarm is then the time that it waits for.
 *
 * Left out: combing, MaxPending, a pass that follows another at once, stripes that are half as deep as where producers
 * help (they lower due further), ManualClock, which has the part for good, and all that protocol.pml has. nextLook
 * looks at the wheel alone here. That is enough: what another drain has yet to file was pushed after due was raised,
 * or lies in the round, so its producer lowers due. The Go code may look sooner.
 *
 * Properties, whenever no call is under way and no goroutine is about to move:
 *
 *   wake-up   nobody has the part, every pending timeout is queued or filed, and the alarm is set for its tick or
 *             before, for due or before and, if anything is queued, for the patience from now or before
 *   tidy      with nothing filed, queued or due no alarm is set
 *   stop      after Timer.Stop no alarm is set, and done is closed
 *   counted   running counts the goroutine that waits for a user's clock, and one until Timer.Stop
 *
 * In every state one goroutine has the part, only that one touches the alarm, and none begins a pass once done is
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
#ifndef LAST
#define LAST 2
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 2
#endif
#ifndef FAR
#define FAR 9
#endif

#define PATIENCE 2
#define LONG  14	/* maxDeadline: later than every tick, earlier than noDue */
#define NEVER 15	/* noDue, noTick */

#define ASLEEP 0
#define AWAKE  1
#define RUNG   2
#define ENDED  3

#define IDLE     0
#define PENDING  1
#define CANCELED 2

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))

byte now;

/* alarm */
byte due = NEVER, status = ASLEEP;	/* the word */
byte nextLook = NEVER;
byte alarm = NEVER;	/* when it rings */
byte called;		/* goroutines that it has called, and that have not run yet */
#ifdef USERS_CLOCK
#define UNSET  0
#define WAITS  1
#define CALLED 2	/* the channel has received, and the goroutine has not run yet */
byte waiter;		/* the goroutine whose cancel is alarm.cancel */
byte dismissed;		/* of those called, which may take either case of the select */
byte leaving;		/* dismissed, and yet to Leave */
#define MAY_LIVE (called > dismissed)
#else
#define MAY_LIVE (called > 0)
#endif

/* the word of each timeout, and where it is */
byte state[2], deadline[2], filed[2];	/* filed: under this tick; 0: not */
bit queued[2], inQueue[2], inLists[2], inBatch[2], held[2];
bit mu, stopped;

/* executor.go */
#ifdef MISTAKE_RUNNING_FROM_0
byte running;
#else
byte running = 1;
#endif
bit done;

byte exits;	/* tasks that have ended the goroutine */
bit handed;	/* the part is a goroutine's that AfterFunc(0) starts */
bit cut;	/* the pass was cut short, and the batch is not settled */
byte cutAt = NEVER;	/* the tick of that pass */

/* ghosts */
byte busy;	/* calls under way, and goroutines about to move */
byte owner;	/* of the part: a process */
#define COMING 255
#define mine assert(owner == _pid)

#define HOME(t) (inQueue[t] || inLists[t] || filed[t])
#define ON_TIME(t) (state[t] != PENDING || HOME(t) && (deadline[t] == LONG || alarm <= max(deadline[t], now + 1)))
#define IN_PATIENCE(t) (!queued[t] || inQueue[t] && due < NEVER && alarm <= now + PATIENCE)
#define EMPTY(t) (!inQueue[t] && !inLists[t] && (filed[t] == 0 || filed[t] == LONG))

inline rests() {
	assert(status == ASLEEP && owner == 0 && !handed);
	assert(!inBatch[0] && !inBatch[1] && !held[0] && !held[1]);
	assert(ON_TIME(0) && ON_TIME(1));
	assert(due == NEVER || alarm <= max(due, now + 1) && due <= now + PATIENCE);
	assert(IN_PATIENCE(0) && IN_PATIENCE(1));
	assert(due < NEVER || alarm == NEVER || alarm <= now || !EMPTY(0) || !EMPTY(1));	/* at now: it rings once more */
#ifdef USERS_CLOCK
	assert(running == 1 + (alarm < NEVER) && (waiter == WAITS) == (alarm < NEVER))
#else
	assert(running == 1)
#endif
}

/* away ends what is under way. */
inline away() {
	busy--;
	if
	:: busy == 0 && !stopped -> rests()
	:: busy == 0 && stopped -> assert(status == ENDED && alarm == NEVER && owner == 0 && running == 0 && done)
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
#ifdef MISTAKE_DONE_TWICE
			assert(!done);	/* a channel is closed once */
#endif
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
	:: waiter == WAITS -> alarm = NEVER; leaving++; busy++
	:: waiter == CALLED -> dismissed++
	:: else
	fi;
#endif
	waiter = UNSET
}

inline set_(tick_) {
	dismiss();
	waiter = WAITS;
	running = running + ENTER_WAITER;
	alarm = tick_
}

inline stop_() { dismiss() }
#else
inline dismiss()   { skip }
inline set_(tick_) { alarm = tick_ }
inline stop_()     { alarm = NEVER }
#endif

/* rest, for next and set. Its first step is the load, and what the holder of the part does until its CAS. */
inline rest() {
	do
	:: atomic { status == ENDED -> mine;
#ifndef MISTAKE_ENDED_KEEPS_ALARM
			stop_();
#endif
			owner = 0;
			break
		}
	:: atomic { status == RUNG -> mine;
#ifdef MISTAKE_RUNG_AFTER_SET
			set_(next)
		};
		atomic {
			if
			:: status == RUNG -> status = AWAKE
			:: else
			fi;
			set = next
#else
			status = AWAKE;
#ifndef MISTAKE_RUNG_KEEPS_SET
			set = NEVER
#endif
#endif
		}
	:: atomic { status == AWAKE -> mine;	/* tick: of the last pass, or before the producer's lower */
			seen = due;
			if
			:: seen < NEVER -> next = min(next, min(max(tick + 1, seen), tick + PATIENCE))
			:: else
			fi;
#ifndef MISTAKE_LOOK_NOTED_LATE
			nextLook = next;
#endif
#ifndef MISTAKE_SET_LATE
			if
			:: next < set -> set_(next); set = next
			:: else
			fi
#endif
		};
		atomic {
			if
#ifdef MISTAKE_AWAY_IGNORES_DUE
			:: status == AWAKE ->
#else
			:: status == AWAKE && due == seen ->
#endif
				due = (seen < NEVER -> min(seen, tick + PATIENCE) : NEVER);
				status = ASLEEP;
				owner = 0;
				hit = 1
			:: else
			fi
		};
		if
		:: hit ->
			atomic {
				hit = 0;
#ifdef MISTAKE_LOOK_NOTED_LATE
				nextLook = next;
#endif
#ifdef MISTAKE_SET_LATE
				if
				:: next < set -> set_(next)
				:: else
				fi;
#endif
				break
			}
		:: else
		fi
	od;
	atomic { tick = 0; seen = 0; next = 0; set = 0 }
}

/* lower leaves hit: the caller has the part. */
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
#ifdef MISTAKE_LOWER_NO_CAS
	atomic {
		hit = (k < due && status == ASLEEP);
		set = (k < due && status != ENDED -> k : due)
	};
	atomic {
		due = set;
		set = 0;
		if
		:: hit -> status = AWAKE; assert(owner == 0); owner = _pid
		:: else
		fi
	};
	atomic {
#else
	atomic {
		lower(k, _pid);
#endif
		if
		:: hit -> next = nextLook; set = next
		:: else
		fi
	};
	if
	:: hit -> hit = 0; rest()
	:: else -> tick = 0
	fi
#endif
}

/* take leaves hit: the goroutine has the part. */
inline take() {
	atomic {
		if
		:: status == ASLEEP -> status = AWAKE; assert(owner == 0); owner = _pid; hit = 1
		:: status == AWAKE ->
#ifdef MISTAKE_RING_LOWERS
			due = min(due, now)
#else
#ifndef MISTAKE_NO_RUNG
			status = RUNG
#endif
#endif
		:: else
		fi
	}
}

inline raise() {
	due = (status == ENDED -> due : NEVER);
#ifdef MISTAKE_RAISE_STORES
	status = AWAKE
#endif
}

inline takeStripe(s) {
	atomic {
		if
		:: inQueue[s] -> inQueue[s] = 0; inLists[s] = 1
		:: else
		fi
	}
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

inline guarded_nextLook() { next = min(DUE_AT(0), DUE_AT(1)) }

proctype live() {
	byte tick, next, seen, set;
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
	take();
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
	atomic {
		mine;
		assert(!done);
#ifndef MISTAKE_WORK_KEEPS_WAITER
		dismiss();
#endif
		tick = now
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
	atomic {
		mu == 0;
		if
		:: due > tick -> goto takeDue
#if GOEXITS
		:: due <= tick && cutAt == tick -> goto takeDue	/* isCut */
		:: due <= tick && cutAt != tick -> mu = 1
#else
		:: else -> mu = 1
#endif
		fi
	};
#ifndef MISTAKE_RAISE_AFTER_TAKE
	atomic { raise() };
#endif
	takeStripe(0);
	if
	:: mu = 0; atomic { mu == 0 -> mu = 1 }	/* the next stripe is being combed */
	:: true
	fi;
	takeStripe(1);
#ifdef MISTAKE_RAISE_AFTER_TAKE
	atomic { raise() };
#endif
	atomic { fileOne(0); fileOne(1); mu = 0 };
takeDue:
	atomic {
		mu == 0;
		if
		:: !stopped -> consider(0); consider(1)
		:: else
		fi;
#ifdef MISTAKE_LOOK_BEFORE_SETTLE
		guarded_nextLook();
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
		guarded_nextLook();
#endif
		cutAt = NEVER;
		set = NEVER
	};
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
#ifdef MISTAKE_GOEXIT_DROPS_PART
		running--; away();
#else
#ifdef MISTAKE_GOEXIT_RESETS_ALARM
		running--; busy--; alarm = now;
#else
#ifdef MISTAKE_GOEXIT_LEAVES
		running--;
#endif
		handed = 1;
#endif
#endif
		goto end
	}
#endif
}

inline push_() {
	if
	:: push ->
		atomic {
			push = 0;
			if
			:: stopped -> queued[t] = 0; state[t] = IDLE; hands = 0
			:: else -> inQueue[t] = 1
			fi
		}
	:: else
	fi
}

inline announce() {
	if
	:: hands ->
		atomic {
			hands = 0;
#ifdef MISTAKE_GIVEN_DEADLINE
			k = (d -> d : LONG)
#else
			k = (state[t] == PENDING -> deadline[t] : LONG)
#endif
		};
		expect(k)
	:: else
	fi
}

proctype producer() {
	byte calls, t, d, k, next, tick, seen, set;
	bit hit, push, hands;

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
			:: d = FAR
			:: d = 0	/* Stop */
			fi
		};
		/* one CAS of the word */
		atomic {
			if
			:: d == 0 && state[t] == PENDING -> state[t] = CANCELED; push = !queued[t]; hands = push; queued[t] = 1
			:: d > 0 && state[t] == PENDING && d < deadline[t] ->
				deadline[t] = d; push = !queued[t]; queued[t] = 1;
#ifdef MISTAKE_QUEUED_SILENT
				hands = push
#else
				hands = 1
#endif
			:: d > 0 && state[t] == PENDING && d >= deadline[t] -> deadline[t] = d
			:: d > 0 && state[t] != PENDING && !stopped ->
				state[t] = PENDING; deadline[t] = d; push = !queued[t]; queued[t] = 1; hands = 1
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
		atomic { t = 0; d = 0; k = 0; away() }
	od
}

#if HELPERS
proctype helper() {
	atomic { busy++; mu == 0 -> mu = 1 };
	takeStripe(0);
	takeStripe(1);
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
#ifdef MISTAKE_STOP_LEAVES_TWICE
	isFirst = 1;
#endif
	if
	:: isFirst ->
#ifndef MISTAKE_STOP_KEEPS_STATUS
		atomic { wasAsleep = status == ASLEEP; status = ENDED; due = 0 };
#endif
#ifdef MISTAKE_STOP_TOUCHES_ALARM
		wasAsleep = 1;
#endif
#ifdef MISTAKE_STOP_KEEPS_ALARM
		wasAsleep = 0;
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
	:: atomic { alarm <= now && called < LIVES ->
			alarm = NEVER; called++; busy++;
#ifdef USERS_CLOCK
			assert(waiter == WAITS);
			waiter = CALLED
#endif
		}
#ifdef USERS_CLOCK
	:: atomic { leaving > 0 -> leaving-- }; leave(); atomic { away() }
#endif
	:: atomic { timeout ->
			assert(busy == 0);
			if
			:: alarm < NEVER && now < alarm -> now = alarm
			:: else -> break
			fi
		}
	od;
	atomic {
		assert(alarm == NEVER && !queued[0] && !queued[1]);
		assert(state[0] != PENDING || deadline[0] == LONG);
		assert(state[1] != PENDING || deadline[1] == LONG);
		assert(EMPTY(0) && EMPTY(1));
		assert(stopped || due == NEVER)
	}
}
