/* guarded.go and filing.go: what the lock guards. Each hold ends after a portion.
 *
 * What only the holder sees changes together with the next or last step of the hold.
 */

bit  mu;	/* the lock */
bit  stopped;
bit  passing;
byte backlog, held;

/* batch */
byte timeouts[BATCH];
byte filled;

inline guarded_begin() {
	at = min(slept, tick);
	wheel_skip(at);
	at = 0;
	passing = 1
}

inline catchUp(theTick) {
	if
	:: passing
	:: else -> wheel_skip(theTick)
	fi
}

/* next_ takes the next timeout of the backlog into x, unless it is in the batch. */
inline next_() {
	x = backlog;
	backlog = link[x];
#ifndef MISTAKE_HELD_FILED
	if
	:: home[x] == IN_BATCH -> link[x] = held; held = x; x = 0
	:: else
	fi
#endif
}

/* drain leaves in n how many timeouts it saw, up to limit, and ok, for drainTo. It
 * locks, its caller unlocks.
 */
inline guarded_drain(theTick, limit) {
	atomic {
		mu == 0 -> mu = 1;
		if
		:: stopped
		:: else -> catchUp(theTick)
		fi
	};
	do
	:: RMW {
		atomic {
		if
		:: !stopped && n < limit && backlog == 0 -> look()
		:: else
		fi;
		if
		:: stopped || n == limit || i == STRIPES -> i = 0; ok = n < limit || turnLeft == 0; break
		:: else
		fi;
		if
		:: backlog -> n++; next_()
		:: else
		fi
		};
		if
		:: x -> unqueue(x, true); x = 0
		:: else
		fi
		}
	od
}

/* help, with the lock held. */
inline guarded_help(s) {
	atomic {
		if
		:: stopped
		:: else ->
			if
#ifndef MISTAKE_HELP_DROPS_BACKLOG
			:: backlog
#endif
			:: else -> takeFrom(s)
			fi
		fi
	};
	do
	:: RMW {
		atomic {
		if
		:: stopped || n == HELP || backlog == 0 ->
			n = 0;
#ifdef MISTAKE_HELP_FORGETS_REST
			backlog = (stopped -> backlog : 0);
#endif
			mu = 0;
			break
		:: else -> n++; next_()
		fi
		};
		if
		:: x -> unqueue(x, true); x = 0
		:: else
		fi
		}
	od
}

inline consider() {
	w = word[x];
	if
	:: state(w) != PENDING || queued(w)
	:: state(w) == PENDING && !queued(w) && deadline(w) > tick -> place(x, deadline(w))
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

/* take leaves ok: there may be something in the batch, or more to take. */
inline take() {
	atomic {
		mu == 0 -> mu = 1;
		if
		:: TAKES_NOTHING
		:: else -> wheel_close(tick)
		fi
	};
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
			:: else -> ok = filled > 0; n = 0; mu = 0; break
			fi
		fi
		}
	od
}

/* settle takes all out of the batch. */
inline settle() {
	lock();
	do
	:: atomic {
		if
		:: i == filled ->
			i = 0;
			do
#ifndef MISTAKE_SETTLE_FORGETS_HELD
			:: held ->
				x = held;
				held = link[x];
				link[x] = backlog;
				backlog = x
#endif
			:: else -> break
			od;
			x = 0;
			do
			:: filled == 0 -> break
			:: else -> filled--; timeouts[filled] = 0
			od;
			turn = 0;
			mu = 0;
			break
		:: else
		fi;
		x = timeouts[i];
		i++;
		assert(home[x] == IN_BATCH);	/* and nowhere else */
		home[x] = UNFILED;
		w = word[x];
		if
#ifndef MISTAKE_MOVED_NOT_FILED
		:: state(w) == PENDING && !queued(w) -> place(x, deadline(w))
#endif
		:: else
		fi;
		w = 0; x = 0
		}
	od
}

#define inTheBatch(i) (home[i] == IN_BATCH && state(word[i]) == PENDING)

/* look, for timeout i, leave n and at. */
inline countPending() {
	if
	:: home[i] >= FILED || inTheBatch(i) -> n++
	:: else
	fi
}

#ifdef MISTAKE_NEXT_IGNORES_BATCH
#define NEXT_SEES(i) false
#else
#ifdef MISTAKE_NEXT_IGNORES_QUEUED
#define NEXT_SEES(i) (inTheBatch(i) && !queued(word[i]))
#else
#define NEXT_SEES(i) inTheBatch(i)
#endif
#endif

inline guarded_next() {
	if
	:: NEXT_SEES(i) -> at = min(at, deadline(word[i]))
	:: else
	fi
}
