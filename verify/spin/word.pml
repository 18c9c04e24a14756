/* A timeout's path: word.go, push, take and close of mpsc_queue.go, guarded.go, and what producers call in timer.go and
 * timeout.go. Names are those of the Go code. When the worker runs is in alarm.pml.
 *
 *   proctype    stands for
 *   producer    callers of Reset, Timeout.Stop and Release
 *   worker      the passes of the worker
 *   helper      producers that file a stripe, and Pending
 *   stopper     callers of Timer.StopAll
 *
 * Steps. Each load, CAS and Swap of a word or a stripe is a step, except a load and the CAS that depends on it alone,
 * if a failed CAS repeats both. What the lock guards changes with the next of those. A hold files or takes one timeout,
 * and ends. Each of two lanes has a stripe, a stack by link, and a push goes to either. The wheel is the time under
 * which a timeout is filed.
 *
 * Time is 0, 1 or 2, and a pass begins at any of them; a last pass begins at 3. Deadlines are 1 and 2.
 *
 * Left out: the quota; depths; where in the wheel a timeout is; the batch, which holds expired timeouts that the engine
 * has let go of; series, survivors and hooks.
 *
 * Properties:
 *
 *   outcome   each arming has one outcome: expired, canceled by one call, or rejected
 *   early     no timeout expires before its deadline, and none once Timer.StopAll's first hold is over
 *   place     a timeout is in the queue at most once, then marked queued; an expired one that is not queued is nowhere
 *   lost      after the last pass no timeout is pending, and none is queued or filed
 *   Release   when it returns, the timeout is nowhere, unless it was armed again
 *   StopAll   when a call returns, no timeout is pending but one whose push is about to be refused; one call returns it
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 1
#endif
#ifndef PASSES
#define PASSES 2
#endif
#ifndef HELPERS
#define HELPERS 0
#endif
#ifndef STOPPERS
#define STOPPERS 0
#endif

#define UNARMED  0
#define PENDING  1
#define EXPIRED  2
#define CANCELED 3
#define REJECTED 4
#define QUEUED   8
#define CLOSED   9	/* the head of a closed stripe */

#define pack(d, flags, s) ((d) << 4 | (flags) | (s))
#define state(w)          ((w) & 7)
#define queued(w)         (((w) & QUEUED) != 0)
#define deadline(w)       ((w) >> 4)
#define withState(w, s)   ((w) & 120 | (s))
#define unqueued(w)       ((w) & 119)
#define max(a, b)         ((a) > (b) -> (a) : (b))

byte now;

/* Timeouts, from 1; 0 is nil. home: filed under this time; 0: unfiled. */
byte word[3], link[3], home[3];

/* queue */
byte head[2];
bit refuses;

/* guarded */
bit mu, stopped;
byte lists[3];	/* each by its first timeout, without gaps */
byte closed;	/* the time of the last pass */

/* ghosts */
byte told[3];	/* the outcome of the last arming; PENDING while it is open */
bit inQueue[3];	/* pushed, and not unqueued since */
bit armed[3];	/* since Release has canceled it */
bit isOver;	/* the first hold of a StopAll */
byte left = PRODUCERS + HELPERS + STOPPERS;	/* calls that have not returned */

#define lock() atomic { mu == 0 -> mu = 1 }

inline tell(t, outcome) {
	assert(told[t] == PENDING);	/* one outcome for each arming */
	told[t] = outcome
}

/* cancelInPlace leaves canceled. */
inline cancelInPlace(t) {
	atomic {
		if
		:: state(word[t]) == PENDING ->
			tell(t, CANCELED);
			word[t] = withState(word[t], CANCELED);
			canceled = 1
		:: else
		fi
	}
}

/* unqueue leaves the word that it left in w. */
inline unqueue(t) {
#ifdef MISTAKE_UNQUEUE_LINK_LATE
	atomic {
#else
	link[t] = 0;
	atomic {
#endif
		assert(queued(word[t]) && inQueue[t]);	/* else misused */
		inQueue[t] = 0;
		word[t] = unqueued(word[t]);
		w = word[t]
	}
#ifdef MISTAKE_UNQUEUE_LINK_LATE
	;
	link[t] = 0
#endif
}

/* place. put, for an intake, does not put a closed time off: the pass that follows takes it. */
#define NEXT (closed + 1)
inline place(t) { home[t] = max(deadline(w), NEXT) }
inline put(t)   { home[t] = deadline(w) }

/* append adds what a stripe holds to lists. */
inline append(l) {
	if	/* not lists[n]: the checker could not undo that */
	:: head[l] == 0
	:: head[l] != 0 && lists[0] == 0 -> lists[0] = head[l]
	:: head[l] != 0 && lists[0] != 0 && lists[1] == 0 -> lists[1] = head[l]
	:: else -> assert(lists[2] == 0); lists[2] = head[l]
	fi
}

inline takeStripe(l) {
	atomic {
		if
		:: !stopped -> append(l); head[l] = 0
		:: else
		fi
	}
}

/* pop takes a timeout, x, from lists. */
inline pop() {
	x = lists[0];
	if
	:: x ->
		lists[0] = link[x];
		if
		:: lists[0] == 0 -> lists[0] = lists[1]; lists[1] = lists[2]; lists[2] = 0
		:: else
		fi;
		home[x] = 0
	:: else
	fi
}

/* file, with fileOne, for one timeout, if there is one. Isintake: put. */
inline file(isIntake) {
	atomic { pop() };
	if
	:: x ->
#ifdef MISTAKE_FILE_READS_EARLY
		atomic { v = word[x] };
#endif
		unqueue(x);
		atomic {
#ifdef MISTAKE_FILE_READS_EARLY
			w = v; v = 0;
#endif
			if
			:: state(w) == PENDING && isIntake -> put(x)
			:: state(w) == PENDING && !isIntake -> place(x)
			:: else
			fi;
			x = 0; w = 0
		}
	:: else
	fi
}

/* refuse of guarded.go and word.go. */
#ifdef MISTAKE_REFUSE_REJECTS_FILED
#define isFiled(t) false
#else
#define isFiled(t) (home[t] != 0)
#endif
inline refuse(t) {
#ifdef MISTAKE_REFUSE_NOTHING
	skip
#else
#ifndef MISTAKE_REFUSE_NO_LOCK
	lock();
#endif
	isInWheel = isFiled(t);
	atomic {
		link[t] = 0;
		if
		:: state(word[t]) == PENDING && !isInWheel ->
			assert(!moved);	/* the wheel holds a timeout that was moved */
			tell(t, REJECTED);
			word[t] = pack(deadline(word[t]), 0, REJECTED)
		:: else -> word[t] = unqueued(word[t])
		fi;
		isInWheel = 0;
#ifndef MISTAKE_REFUSE_NO_LOCK
		mu = 0
#endif
	}
#endif
}

inline push(t) {
	atomic {
		if
		:: l = 0
		:: l = 1
		fi;
		owes = 0;
		if
		:: head[l] == CLOSED -> isClosed = 1
		:: else ->
			assert(!inQueue[t] && queued(word[t]));
			inQueue[t] = 1;
			link[t] = head[l];
			head[l] = t
		fi;
		l = 0
	};
	if
	:: isClosed -> isClosed = 0; refuse(t)
	:: else
	fi
}

#ifdef MISTAKE_PUSH_TWICE
#define OWES(w) true
#else
#define OWES(w) (!queued(w))
#endif
#ifdef MISTAKE_PUSH_UNMARKED
#define MARK 0
#else
#define MARK QUEUED
#endif

/* arm. */
inline arm(t) {
	do
	:: w = word[t];
		isClosed = queued(w) && refuses;	/* isTooLate */
		atomic {
			if
			:: word[t] != w -> isClosed = 0
			:: word[t] == w && state(w) == PENDING ->	/* move */
				assert(told[t] == PENDING);
				owes = d < deadline(w) && !queued(w);
				moved = owes;
				word[t] = pack(d, w & QUEUED | (d < deadline(w) -> QUEUED : 0), PENDING);
				armed[t] = 1;
				break
			:: word[t] == w && state(w) != PENDING && isClosed ->	/* reject */
				assert(told[t] != PENDING);
				told[t] = REJECTED;
				word[t] = pack(d, w & QUEUED, REJECTED);
				break
			:: else ->	/* begin */
				assert(told[t] != PENDING);
				assert(queued(w) || state(w) != EXPIRED || home[t] == 0);	/* nowhere */
				told[t] = PENDING;
				owes = OWES(w);
				word[t] = pack(d, MARK, PENDING);
				armed[t] = 1;
				break
			fi
		}
	od;
	isClosed = 0;
	w = 0
}

inline stop(t) {
	atomic {
		if
		:: state(word[t]) == PENDING ->
			tell(t, CANCELED);
			owes = !queued(word[t]);
			word[t] = withState(word[t], CANCELED) | MARK
		:: else
		fi
	}
}

#ifdef MISTAKE_RELEASE_REMOVES_ARMED
#define IS_FREE(t) true
#else
#define IS_FREE(t) (state(word[t]) != PENDING)
#endif
#define isNowhere(t) (!queued(word[t]) && !inQueue[t] && home[t] == 0)

inline release(t) {
	lock();
	atomic { armed[t] = 0; cancelInPlace(t); canceled = 0 };
	do
	:: queued(word[t]) ->
		takeStripe(0);
		takeStripe(1);
		do
		:: lists[0] != 0 && queued(word[t]) -> file(0)
		:: else -> break
		od;
#ifdef MISTAKE_RELEASE_NO_WAIT
		break
#else
		if
		:: queued(word[t]) -> mu = 0; lock()
		:: else
		fi
#endif
	:: else -> break
	od;
	atomic {
		if
		:: home[t] != 0 && IS_FREE(t) -> home[t] = 0
		:: else
		fi;
		assert(armed[t] || isNowhere(t));
		mu = 0
	}
}

active [PRODUCERS] proctype producer() {
	byte calls, t, d, w, v, x, l;
	bit owes, moved, isClosed, isInWheel, canceled;

	do
	:: calls == CALLS -> break
	:: else ->
		atomic {
			calls++;
			if
			:: t = 1
#if TIMEOUTS > 1
			:: t = 2
#endif
			fi
		};
		if
		:: d = 1; arm(t)
		:: d = 2; arm(t)
		:: stop(t)
#ifdef RELEASE
		:: release(t)
#endif
		fi;
		if
		:: owes -> push(t)
		:: else
		fi;
		atomic { t = 0; d = 0; moved = 0 }
	od;
	left--
}

/* claim, with the timeout out of the wheel and the lock held. */
#ifdef MISTAKE_CLAIM_EARLY
#define IS_DUE(w) (state(w) == PENDING && !queued(w))
#else
#ifdef MISTAKE_CLAIM_QUEUED
#define IS_DUE(w) (state(w) == PENDING && deadline(w) <= closed)
#else
#define IS_DUE(w) (state(w) == PENDING && !queued(w) && deadline(w) <= closed)
#endif
#endif
#ifdef MISTAKE_CLAIM_DROPS_QUEUED
#define IS_PLACED(w) (state(w) == PENDING && !queued(w))
#else
#define IS_PLACED(w) (state(w) == PENDING)
#endif

inline claim(t) {
	do
	:: w = word[t];
		if
		:: IS_DUE(w) ->
			atomic {
				if
#ifdef MISTAKE_CLAIM_NO_CAS
				:: true ->
#else
				:: word[t] == w ->
#endif
					assert(deadline(w) <= now && !isOver && !queued(w));
					tell(t, EXPIRED);
					word[t] = withState(w, EXPIRED);
					break
				:: else
				fi
			}
		:: atomic { !IS_DUE(w) ->
				if
				:: IS_PLACED(w) -> place(t)
				:: else
				fi;
				break
			}
		fi
	od
}

#ifdef MISTAKE_TAKE_WHEN_STOPPED
#define TAKES true
#else
#define TAKES (!stopped)
#endif

/* pass, in which each portion is one timeout. */
inline pass() {
	atomic { mu == 0 -> mu = 1; closed = now };
	takeStripe(0);
	takeStripe(1);
	mu = 0;
	do
	:: atomic { lists[0] != 0 && mu == 0 -> mu = 1 };
		file(1);
		mu = 0
	:: lists[0] == 0 -> break
	od;
	do
	:: atomic { mu == 0 && TAKES && home[1] && home[1] <= closed -> mu = 1; home[1] = 0 };
		claim(1);
		atomic { w = 0; mu = 0 }
#if TIMEOUTS > 1
	:: atomic { mu == 0 && TAKES && home[2] && home[2] <= closed -> mu = 1; home[2] = 0 };
		claim(2);
		atomic { w = 0; mu = 0 }
#endif
	:: atomic { mu == 0 -> break }	/* perhaps too early, as if the pass had just begun */
	od
}

active proctype worker() {
	byte passes, w, v, x;

	do
	:: passes < PASSES ->
		passes++;
		if
		:: now < 2 -> now++
		:: true
		fi;
		pass()
	:: atomic { left == 0 -> now = 3; break }
	od;
	pass();
	atomic {	/* a pass takes all: this leaves the runs in which it did */
		if
		:: home[1] || home[2] -> goto ended
		:: else
		fi;
		assert(isNowhere(1) && told[1] != PENDING);
		assert(isNowhere(2) && told[2] != PENDING)
	};
ended:	skip
}

#if HELPERS
active proctype helper() {
	byte w, v, x;

	lock();
	takeStripe(0);
	file(0);
	mu = 0;
	lock();
	file(0);
	mu = 0;
	left--
}
#endif

#if STOPPERS
/* stop of guarded.go. */
inline guarded_stop() {
	stopped = 1;
	atomic { append(0); head[0] = CLOSED };
	atomic { append(1); head[1] = CLOSED };
	refuses = 1
}

inline filed(t) { home[t] = 0; x = t }

/* popAny leaves x. */
inline popAny() {
	atomic {
		pop();
		if
		:: x -> v = 1
		:: !x && home[1] -> filed(1)
		:: !x && !home[1] && home[2] -> filed(2)
		:: else
		fi
	};
	if
	:: v -> unqueue(x); v = 0; w = 0
	:: else
	fi
}

#define isCollected(t) (state(word[t]) != PENDING || queued(word[t]) && !inQueue[t])

active [STOPPERS] proctype stopper() {
	byte w, v, x;
	bit canceled, isFirst;

	do
	:: lock();
		if
		:: !stopped -> guarded_stop(); isFirst = 1
#ifdef MISTAKE_SECOND_STOP_RETURNS
		:: stopped && !isFirst -> mu = 0; break
		:: stopped && isFirst
#else
		:: stopped
#endif
		fi;
		popAny();
		if
		:: x -> cancelInPlace(x); atomic { canceled = 0; isOver = 1; x = 0; mu = 0 }
		:: else -> atomic { isOver = 1; mu = 0; break }
		fi
	od;
	assert(isCollected(1) && isCollected(2));
	left--
}
#endif
