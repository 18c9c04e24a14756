/* hashed_wheel.go, as far as the protocol sees it: a timeout is filed under a
 * tick. Buckets, rings and crowds, which decide where that is, have no part in any
 * race, since the lock guards them; invariants.go and the tests check them.
 *
 * A deadline is counted in ticks, so it is its own tick.
 */

/* home: FILED + the tick, for a timeout in the wheel. */
#define UNFILED  0
#define IN_BATCH 1
#define FILED    2
#define NEVER    13	/* wheel.never: no clock gets there */
#define NO_TICK  200

byte home[ALL];
byte current = 1;	/* the first tick not taken whole */
byte opening = 1;	/* the first tick for timeouts that are placed */

#define max(a, b) ((a) > (b) -> (a) : (b))
#define min(a, b) ((a) < (b) -> (a) : (b))

/* next. Like the Go bitmaps, it does not see timeouts filed behind current. */
#define filedAt(to) (home[to] >= FILED + current -> home[to] - FILED : NO_TICK)
#if TIMEOUTS > 2
#define wheel_next min(filedAt(1), min(filedAt(2), filedAt(3)))
#elif TIMEOUTS > 1
#define wheel_next min(filedAt(1), filedAt(2))
#else
#define wheel_next filedAt(1)
#endif

inline place(to, due) {
	home[to] = FILED + max(due, opening)
}

/* put at current or later */
inline putOpen(to, due) {
	home[to] = FILED + max(due, current)
}

inline wheel_close(last) { opening = max(opening, last + 1) }

inline wheel_turn(tick_) {
	if
	:: wheel_next < tick_
	:: else ->
		current = max(current, tick_);
		opening = max(opening, tick_)
	fi
}

/* pop leaves in x a timeout filed under current, if that is no later than last. */
inline pop(last) {
	if
	:: current <= last && home[1] == FILED + current -> x = 1; home[x] = UNFILED
#if TIMEOUTS > 1
	:: current <= last && home[2] == FILED + current -> x = 2; home[x] = UNFILED
#endif
#if TIMEOUTS > 2
	:: current <= last && home[3] == FILED + current -> x = 3; home[x] = UNFILED
#endif
	:: else -> x = 0
	fi
}

/* popAny leaves in x any that is filed. */
inline popAny() {
	if
	:: home[1] >= FILED -> x = 1; home[x] = UNFILED
#if TIMEOUTS > 1
	:: home[2] >= FILED -> x = 2; home[x] = UNFILED
#endif
#if TIMEOUTS > 2
	:: home[3] >= FILED -> x = 3; home[x] = UNFILED
#endif
	:: else -> x = 0
	fi
}

/* advance leaves ok: it came to an occupied tick. */
inline advance(last) {
	ok = wheel_next <= last;
	if
	:: ok -> current = wheel_next
	:: else -> current = max(current, last)
	fi
}

inline wheel_leave(last) {
	current = max(current, last + 1);
	opening = max(opening, current)
}
