/* worker.go: when the worker runs. */

#define AWAKE  0
#define ASLEEP 1
#define ABSENT 2

byte parked = ABSENT;
bit  wake, quit;

/* Plain fields of the worker, which no lock guards: they, and the batch between two
 * holds, belong to owner.
 */
byte slept = 1;
byte turn;
bit  interrupted;

#define COMING 255
byte owner;	/* ghost: who is the worker: a process, a goroutine that is to begin, or nobody */
#define mine   assert(owner == _pid)

byte sleeping;	/* ghost: a sleep is under way, up to this tick; 0: none is */
bit parking;	/* ghost: the worker is in park */
byte lookers;	/* ghost: producers that have pushed and are yet to look at parked, or to act on it */

inline lock() { atomic { mu == 0 -> mu = 1 } }

/* drain leaves drained, and more. */
inline drain() {
	do
	:: limit = min(PORTION, DRAIN_LIMIT - drained);
		guarded_drain(tick, limit);
		atomic {
			mu = 0;
			ok = 0;
			drained = drained + n;
			if
			:: n < limit -> n = 0; limit = 0; break
			:: else -> n = 0; limit = 0
			fi;
			if
			:: drained == DRAIN_LIMIT -> more = 1; break
			:: else
			fi
		}
	od
}

/* handOut leaves more: the tick is over. */
inline handOut() {
	if
	:: filled == 0
	:: else ->
		do
		:: RMW {
			atomic {
				mine;
				if
				:: turn == filled -> break
				:: else -> to = timeouts[turn]; turn++
				fi
			};
			claim(to, tick)
			};
			if
			:: atomic { hit -> hit = 0; release() }; execute(to)
			:: else
			fi;
			to = 0
		od;
		settle()
	fi;
	more = now > tick
}

/* pass leaves drained and more. */
inline pass() {
	atomic { mine; tick = now };
#if INTERRUPTS
	if
	:: filled -> handOut(); more = 0	/* finish */
	:: else
	fi;
#endif
	atomic { mu == 0 -> mine; guarded_begin() };
	drain();
	do
	:: take();
		if
		:: ok -> ok = 0
		:: else -> break
		fi;
		seen = more;
		handOut();
		atomic {
			if
			:: more -> seen = 0; break
			:: else -> more = seen; seen = 0
			fi
		}
	od
}

#ifdef MISTAKE_PARK_FORGETS_BACKLOG
#define LEFT false
#else
#define LEFT (backlog != 0)
#endif

/* park leaves rest, and in wait the tick to sleep up to. */
inline park() {
	atomic {
		mu == 0 -> mu = 1;
		mine;
		parking = 1;
		if
		:: stopped -> rest = ABSENT; owner = 0
		:: !stopped && LEFT -> rest = AWAKE; wait = tick
		:: !stopped && !LEFT && drained > 0 -> rest = AWAKE; wait = tick + 1
		:: else ->
			passing = 0;
			wait = wheel_next;
			rest = (wait >= NEVER -> ABSENT : ASLEEP);
			hit = 1
		fi;
#ifdef MISTAKE_LOOK_AFTER_UNLOCK
		mu = 0;
#endif
		drained = 0
	};
	if
	:: hit ->
		atomic {
			hit = 0;
			parked = rest;
			owner = (rest == ABSENT -> 0 : owner)
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
				:: rest == ABSENT -> assert(owner == 0); owner = _pid	/* never two workers */
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
		parking = 0; tick = 0
	}
}

/* unpark. The step that settles it ends the caller's look. */
inline unpark() {
	atomic {
		hit = 0;
		if
		:: parked == ASLEEP -> parked = AWAKE; hit = 1
		:: else
		fi
	};
	if
	:: atomic {
		hit -> hit = 0;
#ifdef MISTAKE_WAKE_UNBUFFERED
		wake = (sleeping != 0);
#else
		wake = 1;
#endif
		lookers--
		}
	:: atomic {
#ifdef MISTAKE_ENTER_AFTER_CAS
		!hit
#else
		!hit -> enter()
#endif
		};
		atomic {
			if
#ifdef MISTAKE_UNPARK_NO_CAS
			:: true ->
#else
			:: parked == ABSENT ->
#endif
				parked = AWAKE;
				assert(owner == 0);	/* never two workers */
				owner = COMING;
				hit = 1;
			:: else
			fi;
			lookers--
		};
		if
#ifdef MISTAKE_ENTER_AFTER_CAS
		:: hit -> hit = 0; enter(); run work()
#else
		:: atomic { hit -> hit = 0; run work() }	/* begin */
#endif
		:: else -> leave()
		fi
	fi
}

/* sleepUntil leaves woken. Once the model has been checked at its end, over
 * lets the process go.
 */
inline sleepUntil(end) {
	atomic { mine; slept = end };
	if
	:: now >= slept
	:: else ->
		sleeping = slept;
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
	atomic { mine; parked = AWAKE }
}

/* help of guarded.go: TryLock, and a portion of the producer's stripe. */
inline help(to) {
	at = now;
	atomic {
		if
#ifdef MISTAKE_HELP_NO_LOCK
		:: true -> mu = 1; hit = 1
#else
		:: mu == 0 -> mu = 1; hit = 1
		:: else
#endif
		fi
	};
	if
	:: hit -> hit = 0; guarded_help(stripeOf(to))
	:: else
	fi;
	at = 0
}

#ifdef MISTAKE_DRAIN_ENDS_EARLY
#define TURN STRIPES
#else
#define TURN (STRIPES + 1)
#endif

/* drainAll, from the tick at: endOfTurn, then drainTo again and again. It leaves the
 * lock held, for its caller to look.
 */
inline drainAll() {
	atomic { mu == 0 -> turnLeft = TURN };
	do
	:: guarded_drain(at, PORTION);
		atomic {
			n = 0;
			if
			:: ok -> ok = 0; turnLeft = 0; break
			:: else -> mu = 0
			fi
		}
	od
}
