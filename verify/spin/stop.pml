/* stop of timer.go, collect and stop of guarded.go. */

bit closed;	/* ghost: the first hold of a Stop is over */
bit inLeft[ALL];	/* ghost: in the result of a Stop */

byte waiting[STRIPES + ALL + 1];	/* a local of stop, which runs once */

/* stop of guarded.go. */
inline guarded_stop() {
	atomic {
		waiting[STRIPES] = lists[0];
		waiting[STRIPES + 1] = lists[1];
#if TIMEOUTS > 1
		waiting[STRIPES + 2] = lists[2];
#endif
#if TIMEOUTS > 2
		waiting[STRIPES + 3] = lists[3];
#endif
		do
		:: lists[0] -> shift()
		:: else -> break
		od;
		intake = 0;
		waiting[STRIPES + ALL] = deferred;
		deferred = 0
	};
	do
	:: atomic {
		stripeMu[i] == 0 -> assert(head[i] != CLOSED);	/* close is called once */
		waiting[i] = head[i];
		head[i] = CLOSED;
		i++;
		if
		:: i == STRIPES -> i = 0; sort(); break
		:: else
		fi
		}
	od;
	do
	:: RMW {
		atomic {
			x = waiting[0];
			if
			:: x -> waiting[0] = link[x]
			:: else -> break
			fi
		};
		unqueue(x, NOWHERE);
		x = 0
		}
	od
}

/* sort leaves in waiting[0] the timeouts of the batch, and the rest as the only list. */
inline sort() {
	do
	:: i == STRIPES + ALL + 1 -> i = 0; waiting[0] = next; next = 0; break
	:: i < STRIPES + ALL + 1 && waiting[i] == 0 -> i++
	:: else ->
		x = waiting[i];
		waiting[i] = link[x];
		if
#ifndef MISTAKE_STOP_SETTLES_TWICE
		:: home[x] == IN_BATCH -> link[x] = next; next = x	/* it is settled there */
#endif
		:: else -> link[x] = lists[0]; lists[0] = x
		fi;
		x = 0
	od
}

inline settleBatch() {
	do
	:: RMW {
		atomic {
			if
			:: i == filled -> i = 0; break
			:: else -> x = timeouts[i]; i++
			fi
		};
		cancelForStop(x);
		x = 0
		}
	od
}

/* collect of guarded.go leaves more. */
inline guarded_collect() {
	if
	:: isFirst ->
		guarded_stop();
		stopped = 1;
#ifndef MISTAKE_STOP_FORGETS_BATCH
		settleBatch()
#endif
	:: else
	fi;
	do
	:: RMW {
		atomic {
		more = 0;
		if
		:: n == PORTION -> n = 0; more = 1; break
		:: else -> x = lists[0]
		fi;
		if
		:: x -> lists[0] = link[x]; home[x] = UNFILED; hit = 1
		:: else -> popAny()
		fi;
		if
		:: x == 0 -> n = 0; break
		:: else -> n++
		fi
		};
		if
		:: hit -> hit = 0; unqueue(x, NOWHERE)
		:: else
		fi;
		cancelForStop(x);
		x = 0
		}
	od
}

#define isCollected(i) (state(word[i]) != PENDING || queued(word[i]) && !inQueue[i])

/* Timer.StopAll. What ends the alarm and closes done is in alarm.pml. */
inline timer_stop() {
	do
	:: atomic { mu == 0 -> mu = 1; isFirst = !stopped };
#ifdef MISTAKE_SECOND_STOP_RETURNS
		if
		:: !isFirst -> mu = 0; break
		:: else
		fi;
#endif
		guarded_collect();
		atomic { isFirst = 0; closed = 1; mu = 0 };
#if MAX_PENDING
		releaseAll();
#endif
		ended = 0;
		if
		:: !more -> break
		:: more -> more = 0
		fi
	od;
	assert(ALL_TIMEOUTS(isCollected))	/* a pending arming is about to be refused */
}
