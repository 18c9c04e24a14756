/* worker.go: when the worker runs. */

#define AWAKE  0
#define ASLEEP 1
#define ABSENT 2

byte status = ABSENT;
bit  wake, quit;

byte sleeping;	/* ghost: a sleep is under way, up to this tick; 0: none is */
bit parking;	/* ghost: the worker is in park */
byte lookers;	/* ghost: producers that have pushed and are yet to look at the status, or to act on it */

/* drain files the round. It leaves busy, and left. */
inline drain() {
	do
	:: lock();
		file(PORTION, round > 0);
		atomic {
			mu = 0;
			busy = busy || n > 0;
			drained = drained + n;
			if
			:: n < PORTION -> n = 0; drained = 0; left = 0; break
			:: else -> n = 0
			fi;
			if
			:: drained >= DRAIN -> drained = 0; break
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
			:: atomic { hit -> hit = 0; expire() }; execute(to)
			:: else
			fi;
			to = 0
		od;
		settle()
	fi;
	more = now > tick
}

#define handed_out(to) (!(owed[to] && state(word[to]) == PENDING))

/* pass leaves busy and more. */
inline pass() {
	atomic { mine; tick = now; left = 1 };
#if INTERRUPTS
	if
	:: filled -> handOut(); more = 0
	:: else
	fi;
#endif
	guarded_begin();
	do
	:: drain();
		do
		:: take();
			if
			:: ok -> ok = 0
			:: else -> break
			fi;
			handOut();
			if
			:: more -> left = 0; break
			:: else
			fi
		od;
		if
		:: left
		:: else -> break
		fi
	od;
#ifdef ROUNDS
	assert(more || stopped || ALL_TIMEOUTS(handed_out))
#endif
}

#ifdef MISTAKE_PARK_FORGETS_LISTS
#define LEFT false
#else
#define LEFT (lists[0] != 0)
#endif

/* park leaves rest, and in wait the tick to sleep up to. */
inline park() {
	atomic {
		mu == 0 -> mu = 1;
		mine;
		parking = 1;
		if
		:: stopped -> rest = ABSENT; owner = 0
		:: !stopped && (busy || LEFT) -> rest = AWAKE; wait = tick + 1
		:: else ->
			wait = wheel_next;
			rest = (wait >= NEVER -> ABSENT : ASLEEP);
			hit = 1
		fi;
		expected = (stopped -> expected : (rest == ABSENT -> NO_TICK : wait));
#ifdef MISTAKE_LOOK_AFTER_UNLOCK
		mu = 0;
#endif
		busy = 0
	};
	if
	:: hit ->
		atomic {
			hit = 0;
			status = rest;
			owner = (rest == ABSENT -> 0 : owner)
		};
#ifndef MISTAKE_NO_SECOND_LOOK
		ok = !EMPTY;
		atomic {
			if
#ifdef MISTAKE_PARK_STORES_AWAKE
			:: ok ->
#else
			:: ok && status == rest ->
#endif
				status = AWAKE;
				if
				:: rest == ABSENT -> assert(owner == 0); owner = _pid	/* never two workers */
				:: else
				fi;
				rest = AWAKE; wait = tick + 1; expected = wait
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

/* expectNextTick, of a producer in the worker's place. */
inline expectNextTick(was) { expected = (expected == was -> min(was, now + 1) : expected) }

/* unpark. The step that settles it ends the caller's look. */
inline unpark() {
	at = expected;
	atomic {
		hit = 0;
		if
		:: status == ASLEEP -> status = AWAKE; hit = 1
		:: else
		fi
	};
	if
	:: hit -> atomic {
		expectNextTick(at);
		at = 0;
		hit = 0;
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
			:: status == ABSENT ->
#endif
				status = AWAKE;
				assert(owner == 0);	/* never two workers */
				owner = COMING;
				hit = 1;
			:: else
			fi;
			lookers--
		};
		if
#ifdef MISTAKE_ENTER_AFTER_CAS
		:: hit -> hit = 0; enter(); at = 0; run work()
#else
		:: atomic { hit -> hit = 0; expectNextTick(at); at = 0; run work() }
#endif
		:: else -> at = 0; leave()
		fi
	fi
}

/* sleepUntil leaves woken. Once the model has been checked at its end, over
 * lets the process go.
 */
inline sleepUntil(end) {
	mine;
	if
	:: now >= end
	:: else ->
		sleeping = end;
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
	atomic { mine; status = AWAKE }
}

/* awaitNextTick leaves in wait the tick that it slept up to. */
inline awaitNextTick() {
	atomic { wait = min(now + 1, expected); expected = wait };
	sleepUntil(wait)
}

#if RELIEF
/* reduce, of which any part may be left out: which depends on how deep the stripe is, and the model does
 * not count.
 */
#if HELP || defined(COMB)
#define RELIEF 1
#endif

inline reduce(to) {
#ifdef COMB
	if
	:: true
	:: comb(stripeOf(to))
	fi;
#endif
#if HELP
	if
	:: true
	:: help(to)
#ifdef TURNSTILE
	:: true -> wait_(to)
#endif
	fi
#endif
}
#endif

/* tryFileStripe: TryLock, and a portion of the producer's stripe, or of the lists. */
inline help(to) {
	seen = now;
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
	:: hit -> hit = 0; fileFor(stripeOf(to))
	:: else
	fi
}

#ifdef TURNSTILE
bit turnstile;

/* The turnstile, and fileStripe unless the stripe is found no longer flooded. */
inline wait_(to) {
	atomic { turnstile == 0 -> turnstile = 1 };
	if
	:: true -> seen = now; lock();
		do
		:: atomic {
			!stopped && lists[0] == 0 && HOLDS_ANY(stripeOf(to)) && stripeMu[stripeOf(to)] != 0 -> mu = 0
			};
			stripeMu[stripeOf(to)] == 0;
			lock()
		:: else -> break
		od;
		fileFor(stripeOf(to))
	:: true
	fi;
#ifndef MISTAKE_TURNSTILE_KEPT
	turnstile = 0
#endif
}
#endif

#ifdef MISTAKE_DRAIN_ENDS_EARLY
#define END 1
#else
#define END TAKEN
#endif

/* drainAll, from the tick seen. It leaves the lock held, for its caller to look. */
inline drainAll(who) {
	atomic {
		mu == 0 -> mu = 1;
		turn_(seen);
		seen = 0
	};
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
