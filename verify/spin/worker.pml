/* worker.go: when the worker runs. */

#define AWAKE  0
#define ASLEEP 1
#define ABSENT 2

bit  mu;
bit  stopped;
byte backlog, held;
byte parked = ABSENT;
bit  wake, quit, done;
byte running;
bit watched;	/* watch.on */
byte sleeping;	/* ghost: a sleep is under way, up to this tick; 0: none is */
bit parking;	/* ghost: the worker is in park */
byte workers;	/* ghost: goroutines in the worker's part */
byte lookers;	/* ghost: producers that have pushed and are yet to look at parked, or to act on it */

inline lock() { atomic { mu == 0 -> mu = 1 } }

#ifdef MISTAKE_PARK_FORGETS_BACKLOG
#define MORE (drained == DRAIN_LIMIT)
#else
#define MORE (backlog != 0 || drained == DRAIN_LIMIT)
#endif

/* park leaves rest, and in wait the tick to sleep up to. */
inline park() {
	atomic {
		mu == 0 -> mu = 1;
		parking = 1;
		wheel_next();
		if
		:: stopped -> rest = ABSENT; workers--
		:: else ->
			if
			:: MORE -> rest = AWAKE; wait = tick
			:: else ->
				if
				:: drained > 0 -> rest = AWAKE; wait = tick + 1
				:: else ->
					wait = first;
					rest = (first >= NEVER -> ABSENT : ASLEEP)
				fi
			fi;
			look = rest != AWAKE
		fi;
#ifdef MISTAKE_LOOK_AFTER_UNLOCK
		mu = 0;
#endif
		first = 0; drained = 0
	};
	if
	:: look ->
		atomic {
			look = 0;
			parked = rest;
			if
			:: rest == ABSENT -> workers--
			:: else
			fi
		};
#ifndef MISTAKE_NO_SECOND_LOOK
		ok = !EMPTY;
		atomic {
			if
#ifdef MISTAKE_PARK_STORES_AWAKE
			:: ok ->
#else
			:: ok && parked == rest ->
#endif
				parked = AWAKE;
				if
				:: rest == ABSENT -> workers++; assert(workers == 1)
				:: else
				fi;
				rest = AWAKE; wait = tick + 1
			:: else
			fi;
			ok = 0
		}
#endif
	:: else
	fi;
	atomic {
#ifndef MISTAKE_LOOK_AFTER_UNLOCK
		mu = 0;
#endif
		parking = 0
	}
}

/* unpark. The step that settles it ends the caller's look. */
inline unpark() {
	atomic {
		if
		:: parked == ASLEEP -> parked = AWAKE; hit = 1
		:: else
		fi
	};
	if
	:: hit -> atomic { hit = 0; nudge(); lookers-- }
	:: else ->
#ifndef MISTAKE_RUNNING_AFTER_CAS
		running++;
#endif
		atomic {
			if
#ifdef MISTAKE_UNPARK_NO_CAS
			:: true ->
#else
			:: parked == ABSENT ->
#endif
				parked = AWAKE;
				workers++;
				assert(workers == 1);
				hit = 1;
			:: else
			fi;
			lookers--
		};
		if
		:: hit ->
			hit = 0;
#ifdef MISTAKE_RUNNING_AFTER_CAS
			running++;
#endif
			run work(theBatch, true)
		:: else -> leave()
		fi
	fi
}

/* nudge puts a token into the channel, if there is none. */
inline nudge() {
#ifdef MISTAKE_WAKE_UNBUFFERED
	wake = (sleeping != 0)
#else
	wake = 1
#endif
}

/* sleepUntil leaves woken. Once the model has been checked at its end, over
 * lets the process go.
 */
inline sleepUntil(tick) {
	if
	:: now >= tick
	:: else ->
		sleeping = tick;
		atomic {
			if
			:: sleeping <= now
#ifndef MISTAKE_STOP_NO_QUIT
			:: quit
#endif
			:: wake -> wake = 0; woken = 1
			:: over -> goto gone
			fi;
			sleeping = 0
		}
	fi;
	parked = AWAKE
}
