/* word.go: the one word of a timeout, and every transition of it.
 *
 * move, begin, reject and cancel are one CAS from w, which the caller has loaded;
 * they leave ok, and owe if a push is owed. The others are loops, as in Go: the load
 * is one step, the CAS is another. -DMERGED makes them one (see protocol.pml).
 */

#define UNARMED  0
#define PENDING  1
#define EXPIRED  2
#define CANCELED 3
#define REJECTED 4
#define REJECTED_STOPPED 5
#define QUEUED   8
#define CLOSED   255	/* the head of a closed stripe */
#define FRESH    16

#define pack(d, flags, s) ((d) << 5 | (flags) | (s))
#define state(w)          ((w) & 7)
#define queued(w)         (((w) & QUEUED) != 0)
#define deadline(w)       ((w) >> 5)
#define withState(w, s)     (((w) & 1016) | (s))
#define unqueued(w)       ((w) & 999)

#define isZombie(w) (((w) & FRESH) != 0 && state(w) != PENDING)

/* Indexed by timeout, from 1; 0 is nil. */
short word[ALL];
byte link[ALL];

/* Ghost: the outcome of the last arming, as its callers read it; PENDING while it is open. */
byte told[ALL];

#ifdef INTAKE
/* Ghost: was queued when the intake was taken, and due, and is to be handed out before the pass ends. */
bit owed[ALL];
#define forget(to) owed[to] = 0
#else
#define forget(to) skip
#endif

#ifdef COUNTER
/* Ghost: pending, and not on the way into the queue, ever since the counter's Pending began. */
bit watched[ALL];
#define notWatched(to) watched[to] = 0
#else
#define notWatched(to) skip
#endif

/* A step that settles an arming must find it open, and closes it. */
inline tell(to, outcome) {
	assert(told[to] == PENDING);	/* one outcome for each arming */
	told[to] = outcome;
	notWatched(to)
}

inline move(to, d) {
	next = pack(d, w & (QUEUED | FRESH), PENDING);
	if
	:: d < deadline(w) ->
#ifndef MISTAKE_EARLIER_NO_PUSH
		next = next | QUEUED
#endif
	:: else
	fi;
	if
	:: next == w -> ok = 1	/* no CAS */
	:: next != w && word[to] == w ->
		assert(told[to] == PENDING);	/* Reset returns true: the arming must be open */
		word[to] = next;
		owe = queued(next) && !queued(w);
		moved = owe;
		forget(to);
		ok = 1
	:: else
	fi;
	next = 0
}

#ifdef MISTAKE_FRESH_FROM_EXPIRED
#define isNowhere(s) true
#else
#define isNowhere(s) ((s) == UNARMED || (s) == CANCELED)
#endif
#define FRESH_IF (w & FRESH | (!queued(w) && isNowhere(state(w)) -> FRESH : 0))

inline begin(to, d) {
	if
	:: word[to] == w ->
		assert(told[to] != PENDING);	/* Reset returns false: no arming may be open */
		told[to] = PENDING;
		word[to] = pack(d, QUEUED | FRESH_IF, PENDING);
		/* fresh: the queue alone holds it */
		assert(!(word[to] & FRESH) || head[STRIPES - 1] == CLOSED || home[to] == UNFILED);
		forget(to);
#ifdef MISTAKE_PUSH_TWICE
		owe = 1;
#else
		owe = !queued(w);
#endif
		ok = 1
	:: else
	fi
}

/* beginNew: nobody else can see the timeout yet. */
inline beginNew(to, d) {
	atomic {
		word[to] = pack(d, QUEUED | FRESH, PENDING);
		told[to] = PENDING
	}
}

inline reject(to, d, s) {
	if
	:: word[to] == w ->
		assert(told[to] != PENDING);
		told[to] = s;
		word[to] = pack(d, w & (QUEUED | FRESH), s);
		ok = 1
	:: else
	fi
}

inline cancel(to) {
	if
	:: word[to] == w ->
		tell(to, CANCELED);
		word[to] = withState(w, CANCELED) | QUEUED;
		owe = !queued(w);
		ok = 1
	:: else
	fi
}

#ifdef MISTAKE_CLAIM_QUEUED
#define NOT_CLAIMED(due) (state(w) != PENDING || deadline(w) > due)
#else
#ifdef MISTAKE_CLAIM_EARLY
#define NOT_CLAIMED(due) (state(w) != PENDING || queued(w))
#else
#define NOT_CLAIMED(due) (state(w) != PENDING || queued(w) || deadline(w) > due)
#endif
#endif

/* claim leaves hit: the timeout expired. */
inline claim(to, due) {
	do
	:: RMW {
		atomic {
			w = word[to];
			if
			:: NOT_CLAIMED(due) -> w = 0; break
			:: else
			fi
		};
		atomic {
			if
#ifdef MISTAKE_CLAIM_NO_CAS
			:: true ->
#else
			:: word[to] == w ->
#endif
				assert(deadline(w) <= now);	/* never early */
				assert(!queued(w));		/* a new arming waits for the next drain, so for a later pass */
				assert(!closed);		/* nothing expires after the first hold of Timer.StopAll */
				tell(to, EXPIRED);
				word[to] = withState(w, EXPIRED);
				hit = 1;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

/* unqueue, with the caller's next step under the lock: file puts the timeout where its
 * word requires.
 */
#define NOWHERE 0	/* the caller does nothing */
#define LATE    1	/* place */
#define DUE     2	/* putOpen */

inline unqueue(to, filing) {
	do
	:: RMW {
		atomic {
			link[to] = 0;
			w = word[to];
			assert(queued(w))	/* else misused */
		};
		atomic {
			if
			:: word[to] == w ->
				assert(inQueue[to]);
				inQueue[to] = 0;
				word[to] = unqueued(w);
				if
				:: filing == LATE && state(w) == PENDING -> place(to, deadline(w))
				:: filing == DUE && state(w) == PENDING -> putOpen(to, deadline(w))
				:: else
				fi;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

/* cancelForStop, with what guarded.collect does about its answer. */
inline cancelForStop(to) {
	do
	:: RMW {
		atomic {
			w = word[to];
			if
			:: state(w) != PENDING -> w = 0; break
			:: else
			fi
		};
		atomic {
			if
			:: word[to] == w ->
				tell(to, CANCELED);
				word[to] = withState(w, CANCELED);
				assert(!inLeft[to]);	/* a Stop returns it, once */
				inLeft[to] = 1;
				ended++;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

#ifdef MISTAKE_REFUSE_REJECTS_FILED
#define isFiled(to) false
#else
#define isFiled(to) (home[to] >= FILED)
#endif

/* refuse of guarded.go and the word's, with what Timer.push does about the answer: it leaves err.
 * Only an arming that was never filed is rejected. So no move is: the timeout that it found
 * pending and not queued was in the wheel or the batch, and Timer.StopAll collects it.
 */
inline refuse(to) {
#ifndef MISTAKE_REFUSE_WITHOUT_LOCK
	lock();
#endif
	do
	:: RMW {
		atomic {
			link[to] = 0;
			w = word[to]
		};
		atomic {
			next = unqueued(w);
			if
			:: state(w) == PENDING && !isFiled(to) -> next = withState(next, REJECTED_STOPPED)
			:: else
			fi;
			if
			:: word[to] == w ->
				word[to] = next;
				if
				:: state(next) != state(w) ->
					assert(!moved);
					tell(to, REJECTED_STOPPED);
					hit = 1
				:: else
				fi;
				w = 0; next = 0; moved = 0;
#ifndef MISTAKE_REFUSE_WITHOUT_LOCK
				mu = 0;
#endif
				break
			:: else -> w = 0; next = 0
			fi
		}
	}
	od;
	if
	:: hit -> atomic { hit = 0; err = 1; release() }
	:: else
	fi
}
