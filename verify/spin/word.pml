/* word.go: the one word of a timeout, and every transition of it.
 *
 * move, begin, reject and cancel are one CAS from w, which the caller has loaded;
 * they leave ok, and owe if a push is owed. The others are loops, as in Go: the load
 * is one step, the CAS is another. -DMERGED makes them one (see protocol.pml).
 */

#define IDLE      0
#define PENDING   1
#define EXPIRED   2
#define CANCELLED 3
#define REJECTED  4
#define TOO_LATE  5
#define QUEUED    8

#define pack(d, flags, s) ((d) << 4 | (flags) | (s))
#define state(w)          ((w) & 7)
#define queued(w)         (((w) & QUEUED) != 0)
#define deadline(w)       ((w) >> 4)
#define settled(w, s)     (((w) & 248) | (s))
#define unqueued(w)       ((w) & 247)

/* Indexed by timeout, from 1; 0 is nil. */
byte word[ALL];
byte link[ALL];

/* Ghost: what the callers were told of the last arming; PENDING while it is open. */
byte told[ALL];

/* Whoever tells an outcome must find the arming open, and closes it. */
inline tell(to, outcome) {
	assert(told[to] == PENDING);	/* one outcome for each arming */
	told[to] = outcome
}

inline move(to, d) {
	next = pack(d, w & QUEUED, PENDING);
#ifdef MISTAKE_MOVE_DROPS_QUEUED
	next = pack(d, 0, PENDING);
#endif
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
		assert(told[to] == PENDING);	/* the caller is told that it moved an open arming */
		word[to] = next;
		owe = queued(next) && !queued(w);
		ok = 1
	:: else
	fi;
	next = 0
}

inline begin(to, d) {
	if
	:: word[to] == w ->
		assert(told[to] != PENDING);	/* the caller is told that it began one */
		told[to] = PENDING;
		word[to] = pack(d, QUEUED, PENDING);
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
		word[to] = pack(d, QUEUED, PENDING);
		told[to] = PENDING
	}
}

inline reject(to, d) {
	if
	:: word[to] == w ->
		assert(told[to] != PENDING);
		told[to] = REJECTED;
		word[to] = pack(d, w & QUEUED, REJECTED);
		ok = 1
	:: else
	fi
}

inline cancel(to) {
	if
	:: word[to] == w ->
		tell(to, CANCELLED);
#ifdef MISTAKE_CANCEL_NO_PUSH
		word[to] = settled(w, CANCELLED);
#else
		word[to] = settled(w, CANCELLED) | QUEUED;
		owe = !queued(w);
#endif
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
				assert(!closed);		/* nothing expires after the first hold of Timer.Stop */
				tell(to, EXPIRED);
				word[to] = settled(w, EXPIRED);
				hit = 1;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

/* unqueue, with what the caller does next, under the lock: it takes the timeout
 * out of the wheel, and file puts it where its word says.
 */
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
#ifdef MISTAKE_UNQUEUE_NO_CAS
			:: true ->
#else
			:: word[to] == w ->
#endif
				assert(inQueue[to]);
				inQueue[to] = 0;
				word[to] = unqueued(w);
				if
				:: filing && state(w) == PENDING -> place(to, deadline(w))
				:: !filing && home[to] == IN_BATCH
				:: else -> home[to] = UNFILED
				fi;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

/* collect, with what guarded.collect does about its answer. */
inline collect(to) {
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
#ifdef MISTAKE_COLLECT_NO_CAS
			:: true ->
#else
			:: word[to] == w ->
#endif
				tell(to, CANCELLED);
				word[to] = settled(w, CANCELLED);
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

/* refuse, with what Timer.push does about its answer. */
inline refuse(to) {
	do
	:: RMW {
		atomic {
			link[to] = 0;
			w = word[to]
		};
		atomic {
			next = unqueued(w);
#ifdef MISTAKE_REFUSE_IN_TWO_STEPS
			next = w;
#endif
			if
			:: state(w) == PENDING -> next = settled(next, TOO_LATE)
			:: else
			fi;
			if
			:: word[to] == w ->
				word[to] = next;
				if
				:: state(w) == PENDING -> tell(to, TOO_LATE); hit = 1
				:: else
				fi;
				w = 0; next = 0;
				break
			:: else -> w = 0; next = 0
			fi
		}
	}
	od;
#ifdef MISTAKE_REFUSE_IN_TWO_STEPS
	word[to] = unqueued(word[to]);
#endif
	if
	:: hit -> atomic { hit = 0; release() }
	:: else
	fi
}
