/* word.go: the one word of a timeout, and every transition of it.
 *
 * Each function is its Go loop: the load is one step, the CAS is another, and
 * any process may come between the two. -DMERGED makes them one (see protocol.pml).
 */

#define IDLE      0
#define PENDING   1
#define EXPIRED   2
#define CANCELLED 3
#define REJECTED  4
#define QUEUED    8

#define pack(d, flags, s) ((d) << 4 | (flags) | (s))
#define state(w)          ((w) & 7)
#define queued(w)         (((w) & QUEUED) != 0)
#define deadline(w)       ((w) >> 4)
#define settled(w, s)     (((w) & 248) | (s))
#define unqueued(w)       ((w) & 247)

#define CLAIMED NEVER	/* of a series, from its claim until the run arms it for the next */

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

/* arm: a Reset, or the arming in AfterFunc and Schedule, to deadline d. It
 * leaves err: the push was refused.
 */
inline arm(to, d) {
	err = 0;
	do
	:: RMW {
		atomic {
			w = word[to];
			if
			:: state(w) == PENDING ->
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
				:: next == w -> assert(told[to] == PENDING); w = 0; next = 0; break
				:: else
				fi
			:: else -> next = pack(d, QUEUED, PENDING)
			fi
		};
		if
		:: state(w) == PENDING -> atomic {
			if
			:: word[to] == w ->
				assert(told[to] == PENDING);	/* it returns true, and moved an open arming */
				word[to] = next;
				owe = queued(next) && !queued(w);
				w = 0; next = 0;
				break
			:: else -> w = 0; next = 0
			fi
			}
		:: else ->
			reserve();
			if
			:: noRoom -> atomic {
				noRoom = 0; next = 0;
				if
				:: word[to] == w ->
					word[to] = pack(d, w & QUEUED, REJECTED);
					assert(told[to] != PENDING);
					told[to] = REJECTED;
					err = 1;
					w = 0;
					break
				:: else -> w = 0
				fi
				}
			:: else ->
				atomic {
					if
					:: word[to] == w ->
						assert(told[to] != PENDING);	/* it returns false, and began an arming */
						told[to] = PENDING;
						word[to] = next;
#ifdef MISTAKE_PUSH_TWICE
						owe = 1;
#else
						owe = !queued(w);
#endif
						w = 0; next = 0;
						break
					:: else -> w = 0; next = 0
					fi
				};
#ifndef MISTAKE_RESERVATION_KEPT
				release()
#endif
			fi
		fi
	}
	od;
	if
	:: owe -> owe = 0; push(to)
	:: else
	fi
}

/* armNew: nobody else can see the timeout yet. */
inline armNew(to, d) {
	reserve();
	if
	:: noRoom -> atomic {
		noRoom = 0;
		word[to] = pack(d, 0, REJECTED);
		told[to] = REJECTED;
		err = 1
		}
	:: else ->
		atomic {
			word[to] = pack(d, QUEUED, PENDING);
			told[to] = PENDING
		};
		push(to)
	fi
}

/* series.proceed of recur.go, with armNext, or stop in word.go: the Scheduler ends
 * the series after SERIES runs. It leaves ran: f was called, in this run or before a skip.
 */
#define isClaimed(w) (state(w) == PENDING && deadline(w) == CLAIMED)
#define isDue(w)     (state(w) == PENDING && (deadline(w) == CLAIMED || deadline(w) <= now))

inline proceed(to) {
	atomic { seen = word[to]; d = (ran -> isDue(seen) : isClaimed(seen)); ends = d && nexts == SERIES };
	if
	:: ends ->
		atomic {
			ends = 0;
			if
#ifdef MISTAKE_SERIES_ENDS_A_RESET
			:: state(word[to]) == PENDING ->
#else
			:: word[to] == seen ->
#endif
				assert(word[to] == seen);	/* the run that it was asked for, not what a Reset has begun or moved since */
				tell(to, CANCELLED);
				word[to] = settled(seen, CANCELLED) | QUEUED;
				owe = !queued(seen);
				ran = 1;
				hit = 1
			:: else
			fi
		};
		if
		:: hit -> hit = 0; release()
		:: else
		fi;
		if
		:: owe -> owe = 0; push(to)
		:: else
		fi
	:: !ends && d ->
		atomic {
			d = 0;
			if
			:: word[to] == seen ->
				assert(told[to] == PENDING);
				nexts++;
				ran = 1;
				word[to] = pack(LATER, QUEUED, PENDING);
				owe = !queued(seen)
			:: else
			fi
		};
		if
		:: owe -> owe = 0; push(to)
		:: else
		fi
	:: !ends && !d
	fi;
	atomic { seen = 0; d = 0 }
}

/* claim leaves hit: the timeout expired. */
inline claim(to, due) {
	do
	:: RMW {
		atomic {
			w = word[to];
			if
#ifdef MISTAKE_CLAIM_QUEUED
			:: state(w) != PENDING || deadline(w) > due -> w = 0; break
#else
#ifdef MISTAKE_CLAIM_EARLY
			:: state(w) != PENDING || queued(w) -> w = 0; break
#else
			:: state(w) != PENDING || queued(w) || deadline(w) > due -> w = 0; break
#endif
#endif
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
				assert(!stopReturned);		/* nothing expires once Timer.Stop has returned */
#if SERIES
				assert(told[to] == PENDING);
				word[to] = pack(CLAIMED, 0, PENDING);
#else
				tell(to, EXPIRED);
				word[to] = settled(w, EXPIRED);
#endif
				late = late + (HANDOFFS > 0);
				hit = 1;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od
}

/* unqueue, with what the caller does next, under mu: it takes the timeout out
 * of the wheel, and file puts it where its word says.
 */
inline unqueue(to, filing) {
	do
	:: RMW {
		atomic {
			link[to] = 0;
			w = word[to]
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

/* cancel, with what collect does about its answer. */
inline cancel(to) {
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
				tell(to, CANCELLED);
				word[to] = settled(w, CANCELLED);
				hit = 1;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od;
	if
	:: hit ->
		atomic { hit = 0; returned(to) };
		release()
	:: else
	fi
}

/* refuse, with what Timer.push does about its answer. */
inline refuse(to) {
	do
	:: RMW {
		atomic {
			link[to] = 0;
			w = word[to];
			next = unqueued(w);
#ifdef MISTAKE_REFUSE_IN_TWO_STEPS
			next = w;
#endif
			if
			:: state(w) == PENDING -> next = settled(next, REJECTED)
			:: else
			fi
		};
		atomic {
			if
			:: word[to] == w ->
				word[to] = next;
				if
				:: state(w) == PENDING -> tell(to, REJECTED); hit = 1
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
	:: hit -> hit = 0; release()
	:: else
	fi
}
