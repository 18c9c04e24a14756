/* hashed_wheel.go, as far as the protocol sees it: a timeout is filed under a
 * tick. Buckets, rounds and rings, which decide where that is, have no part in
 * any race, since mu guards them; invariants.go and the tests check them.
 *
 * A deadline is counted in ticks, so it is its own tick.
 */

/* home: FILED + the tick, for a timeout in the wheel. */
#define UNFILED  0
#define IN_BATCH 1
#define IN_DUE   2	/* taken out of its bucket; home.level is still inBucket in Go */
#define FILED    3
#define NEVER    15	/* wheel.never: no clock gets there */
#define NO_TICK  200


byte home[ALL];
byte current = 1;	/* the first tick not taken yet */
byte open = 1;		/* the first tick that takes what is filed */

/* place files under a tick, or under the first open one if that is over. */
inline place(to, tick) {
#ifdef MISTAKE_PLACE_BEHIND
	home[to] = FILED + tick
#else
	home[to] = FILED + (tick < open -> open : tick)
#endif
}

/* close makes what is filed from now on expire at a tick or later. */
inline close(tick) { open = (open > tick -> open : tick) }

/* wheel_next leaves the earliest tick filed under. Like the Go bitmaps, it
 * does not see what is filed behind current.
 */
inline wheel_next() {
	first = NO_TICK;
	i = 1;
	do
	:: i == ALL -> i = 0; break
	:: else ->
		if
		:: home[i] >= FILED + current && home[i] - FILED < first -> first = home[i] - FILED
		:: else
		fi;
		i++
	od
}

/* advance moves the next occupied tick up to the given one to the due list. */
inline advance(tick) {
	wheel_next();
	if
	:: first > tick -> current = (current > tick + 1 -> current : tick + 1); close(current)
	:: else ->
		i = 1;
		do
		:: i == ALL -> i = 0; break
		:: else ->
			if
			:: home[i] == FILED + first -> home[i] = IN_DUE
			:: else
			fi;
			i++
		od;
		current = first + 1;
		close(current)
	fi
}
