/* worker.go: a pass; timer.go: what producers do in its place. When the worker comes is in alarm.pml. */

#if CUTS
byte cuts;
#endif

/* fileIntake files the intake. It leaves left. */
inline fileIntake() {
	do
	:: lock();
		file(PORTION, intake > 0);
		atomic {
			mu = 0;
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

/* handOut leaves more: the tick is over, which with CUTS it may be. */
inline handOut() {
	if
	:: filled == 0
	:: else ->
		do
		:: RMW {
			atomic {
				if
				:: given == filled -> break
				:: else -> to = timeouts[given]; given++
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
#if CUTS
	if
	:: cuts < CUTS && now < LAST -> cuts++; now++; more = 1
	:: true
	fi
#endif
}

#define handed_out(to) (!(owed[to] && state(word[to]) == PENDING))

/* pass leaves more. */
inline pass() {
	atomic { tick = now; left = 1 };
#if INTERRUPTS
	if
	:: filled -> handOut()	/* a batch in which a task ended the goroutine */
	:: else
	fi;
#endif
	more = 0;
	beginPass();
	do
	:: fileIntake();
		do
		:: takeDue();
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
#ifdef INTAKE
	assert(more || stopped || ALL_TIMEOUTS(handed_out))
#endif
}

#if RELIEF
/* help, of which any part may be left out: which depends on how deep the stripe is, and the model does
 * not count.
 */
inline help(to) {
#ifdef PRUNE
	if
	:: true
	:: prune(stripeOf(to))
	fi;
#endif
#if HELP
	if
	:: true
	:: tryFileStripe(to)
#ifdef TURNSTILE
	:: true -> wait_(to)
#endif
	fi
#endif
}
#endif

/* More than fileStripe does, whose callers have waited at the turnstile: TryLock, and a portion of the producer's
 * stripe, or of the lists.
 */
inline tryFileStripe(to) {
	atomic {
		if
		:: mu == 0 -> mu = 1; hit = 1
		:: else
		fi
	};
	if
	:: hit -> hit = 0; fileStripe(stripeOf(to))
	:: else
	fi
}

#ifdef TURNSTILE
bit turnstile;

/* The turnstile, and fileStripe unless the stripe is found no longer deep. */
inline wait_(to) {
	atomic { turnstile == 0 -> turnstile = 1 };
	if
	:: true -> lock();
		do
		:: atomic {
			!stopped && lists[0] == 0 && HOLDS_ANY(stripeOf(to)) && stripeMu[stripeOf(to)] != 0 -> mu = 0
			};
			stripeMu[stripeOf(to)] == 0;
			lock()
		:: else -> break
		od;
		fileStripe(stripeOf(to))
	:: true
	fi;
	turnstile = 0
}
#endif
