/* guarded.go: the part under the lock. Each hold ends after a portion.
 *
 * Fields that only the holder sees change together with the next or last step of the hold.
 */

bit  mu;	/* the lock */
bit  stopped;
byte lists[ALL];	/* each by its first timeout, without gaps: no more than there are timeouts */
byte deferred;

inline lock() { atomic { mu == 0 -> mu = 1 } }

byte intake;	/* so many of the first lists belong to it */

/* batch */
byte timeouts[BATCH];
byte filled;
byte given;	/* so many have had their turn */

#if TIMEOUTS > 2
#define TAKEN ((lists[0] != 0) + (lists[1] != 0) + (lists[2] != 0))
#elif TIMEOUTS > 1
#define TAKEN ((lists[0] != 0) + (lists[1] != 0))
#else
#define TAKEN (lists[0] != 0)
#endif

inline append(list) {
	if	/* not lists[TAKEN] = list: the checker could not undo that */
	:: lists[0] == 0 -> lists[0] = list
#if TIMEOUTS > 1
	:: lists[0] != 0 && lists[1] == 0 -> lists[1] = list
#endif
#if TIMEOUTS > 2
	:: lists[0] != 0 && lists[1] != 0 && lists[2] == 0 -> lists[2] = list
#endif
	fi
}

#ifdef INTAKE
inline owes(to) {
	owed[to] = inQueue[to] && state(word[to]) == PENDING && deadline(word[to]) <= tick && current <= tick
}
#endif

/* beginPass. */
inline beginPass() {
	atomic {
	mu == 0 -> mu = 1;
	ok = (intake == 0 && !stopped && !(current <= tick && tick < opening));	/* isCut */
#if CUTS
	if	/* only up to earliest, which may be before this tick */
	:: wheel_turn(tick)
	:: true
	fi;
#else
	wheel_turn(tick);
#endif
#ifdef INTAKE
	if
	:: ok ->
		assert(intake == 0);	/* an intake does not grow */
		owes(1);
#if TIMEOUTS > 1
		owes(2);
#endif
#if TIMEOUTS > 2
		owes(3);
#endif
	:: else
	fi;
#endif
#ifdef MISTAKE_CLOSE_BEFORE_TAKE
	wheel_close(tick);
#endif
	};
	if
	:: ok ->
		takeAllOf(0);
#if STRIPES > 1
		takeAllOf(1)
#endif
	:: else
	fi;
	atomic {
		wheel_close(tick);
		if
		:: ok -> ok = 0; intake = (stopped -> 0 : TAKEN)
		:: else
		fi;
		mu = 0
	}
}

/* shift removes the first list. */
inline shift() {
	lists[0] = lists[1];
#if TIMEOUTS > 1
	lists[1] = lists[2];
	lists[2] = 0;
#else
	lists[1] = 0;
#endif
#if TIMEOUTS > 2
	lists[2] = lists[3];
	lists[3] = 0;
#endif
	intake = (intake > 0 -> intake - 1 : 0);
	end_ = (end_ > 0 -> end_ - 1 : 0)	/* of a drainAll: how many lists it has yet to file */
}

/* next_ takes the next timeout of the lists into x, out of the wheel, unless it is in the batch. */
inline next_() {
	isOfIntake = intake > 0;
	x = lists[0];
	lists[0] = link[x];
	if
	:: lists[0] == 0 -> shift()
	:: else
	fi;
	if
#ifndef MISTAKE_DEFERRED_FILED
	:: home[x] == IN_BATCH -> link[x] = deferred; deferred = x; x = 0; isOfIntake = 0
#endif
#ifndef MISTAKE_UNQUEUE_BEFORE_REMOVE
	:: else -> home[x] = UNFILED
#else
	:: else
#endif
	fi
}

#ifdef MISTAKE_UNQUEUE_BEFORE_REMOVE
inline fileOne() {
	unqueue(x, NOWHERE);
	atomic {
		home[x] = UNFILED;
		if
		:: state(word[x]) == PENDING && isOfIntake -> putOpen(x, deadline(word[x]))
		:: state(word[x]) == PENDING && !isOfIntake -> place(x, deadline(word[x]))
		:: else
		fi;
		x = 0; isOfIntake = 0
	}
}
#else
inline fileOne() { unqueue(x, (isOfIntake -> DUE : LATE)); x = 0; isOfIntake = 0 }
#endif

/* file leaves in n how many timeouts it saw, and keeps the lock. */
inline file(limit, goesOn) {
	do
	:: RMW {
		atomic {
		if
		:: stopped || n == limit || !(goesOn) -> break
		:: else -> n++; next_()
		fi
		};
		if
		:: x -> fileOne()
		:: else
		fi
		}
	od
}

/* fileStripe, with the lock held. */
inline fileStripe(s) {
	atomic {
		if
		:: stopped
		:: else ->
			if
			:: lists[0] == 0 -> takeStripe(s)
			:: else
			fi
		fi
	};
	file(HELP, lists[0] != 0);
	atomic {
		n = 0;
#ifdef MISTAKE_HELP_FORGETS_REST
		lists[0] = (stopped -> lists[0] : 0);
#endif
		mu = 0
	}
}

#ifdef MISTAKE_CONSIDER_DROPS_QUEUED
#define LET_GO(w) (state(w) != PENDING || queued(w))
#else
#define LET_GO(w) (state(w) != PENDING)
#endif

/* consider, and fileAgain of hashed_wheel.go. */
inline consider() {
	w = word[x];
	if
	:: LET_GO(w)
	:: !LET_GO(w) && (queued(w) || deadline(w) > tick) -> place(x, deadline(w))
	:: else ->
		home[x] = IN_BATCH;
		timeouts[filled] = x;
		filled++
	fi;
	w = 0; x = 0
}

#ifdef MISTAKE_TAKE_WHEN_STOPPED
#define TAKES_NOTHING false
#else
#define TAKES_NOTHING stopped
#endif

/* takeDue leaves ok: there may be something in the batch, or more to take. */
inline takeDue() {
	lock();
	do
	:: atomic {
		if
		:: TAKES_NOTHING -> ok = 0; mu = 0; break
		:: else
		fi;
		if
		:: n == TAKE || filled == BATCH -> ok = 1; n = 0; mu = 0; break
		:: else -> n++
		fi;
		pop(tick);
		if
		:: x -> consider()
		:: else ->
			advance(tick);
			if
			:: ok -> ok = 0
			:: else ->
				if
#ifdef MISTAKE_LEAVE_BEFORE_INTAKE
				:: true -> wheel_leave(tick)
#else
				:: intake == 0 -> wheel_leave(tick)
#endif
				:: else
				fi;
				ok = filled > 0; n = 0; mu = 0; break
			fi
		fi
		}
	od
}

#ifdef MISTAKE_SETTLE_SKIPS_QUEUED
#define SETTLE_SKIPS true
#else
#define SETTLE_SKIPS stopped
#endif

/* settle takes all out of the batch. */
inline settle() {
	lock();
	do
	:: atomic {
		if
		:: i == filled -> i = 0; break
		:: else
		fi;
		x = timeouts[i];
		i++;
		assert(home[x] == IN_BATCH);	/* and nowhere else */
		home[x] = UNFILED;
		w = word[x];
		if
		:: state(w) == PENDING && !(queued(w) && SETTLE_SKIPS) -> place(x, deadline(w))
		:: else
		fi;
		w = 0; x = 0
		}
	od;
	do
	:: RMW {
		atomic {
		if
		:: deferred -> x = deferred; deferred = link[x]; home[x] = UNFILED
		:: else ->
			do
			:: filled == 0 -> break
			:: else -> filled--; timeouts[filled] = 0
			od;
			given = 0;
			mu = 0;
			break
		fi
		};
		fileOne()
		}
	od
}

#ifdef MISTAKE_DRAIN_ENDS_EARLY
#define END 1
#else
#define END TAKEN
#endif

/* drainAll leaves the lock held, for its caller to look. */
inline drainAll(who) {
	lock();
	takeAllOf(0);
#if STRIPES > 1
	takeAllOf(1);
#endif
	end_ = END;
	do
	:: file(PORTION, end_ > 0 && lists[0] != 0);
		atomic {
			n = 0;
			if
			:: end_ > 0 && lists[0] != 0 && !stopped -> mu = 0
			:: else -> end_ = 0; break
			fi
		};
		lock()
	od
}

#define inTheBatch(i) (home[i] == IN_BATCH && state(word[i]) == PENDING)

/* look, for timeout i, leaves n and at. */
inline countPending() {
	if
	:: home[i] >= FILED || inTheBatch(i) -> n++
	:: else
	fi
}

#ifdef MISTAKE_NEXT_IGNORES_BATCH
#define NEXT_SEES(i) false
#else
#define NEXT_SEES(i) inTheBatch(i)
#endif

inline guarded_next() {
	if
	:: NEXT_SEES(i) -> at = min(at, deadline(word[i]))
	:: else
	fi
}
