/* timer.go: the producer side. */

#if MAX_PENDING
byte reserved;

inline reserve() {
	do
	:: RMW {
		atomic {
			i = reserved;
			if
			:: i >= MAX_PENDING -> i = 0; noRoom = 1; break
			:: else
			fi
		};
		atomic {
			if
			:: reserved == i -> reserved++; i = 0; break
			:: else -> i = 0
			fi
		}
	}
	od
}

inline release() { reserved-- }
#else
inline reserve() { skip }
inline release() { skip }
#endif

/* push: queue.push, and the look at parked that pairs with park's at the queue. */
inline push(to) {
#ifdef MISTAKE_LOOK_BEFORE_PUSH
	seen = parked;
#endif
	queue_push(to);
	if
	:: ok ->
		ok = 0;
		atomic {
			if
#ifdef MISTAKE_LOOK_BEFORE_PUSH
			:: seen == AWAKE -> lookers--
#else
			:: parked == AWAKE -> lookers--
#endif
			:: else -> hit = 1
			fi
		};
		if
		:: hit -> hit = 0; unpark()
#ifdef DEEP
		:: !hit -> nudge()
#endif
		:: !hit
		fi
	:: else -> err = 1; refuse(to)
	fi
}

#if TASKS
#define ALONE false
#else
#define ALONE (callers == 1)
#endif

/* Timer.Pending. A claim by a replaced worker is under way until it has taken
 * the timeout out.
 */
inline pending() {
	atomic { mu == 0 -> mu = 1; alone = ALONE };
	drain(200);
	atomic {
		drained = 0;
		i = 1;
		do
		:: i == ALL -> i = 0; break
		:: else ->
			if
			:: home[i] != UNFILED && home[i] != IN_BATCH || home[i] == IN_BATCH && state(word[i]) == PENDING -> n++
			:: else
			fi;
			if
			:: told[i] == PENDING -> n--
			:: else
			fi;
			i++
		od;
		assert(!alone || late > 0 || n == 0);	/* exact, when no other call is under way */
		n = 0; alone = 0;
		mu = 0
	}
}
