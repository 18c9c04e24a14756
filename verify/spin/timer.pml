/* timer.go: the producer side. */

#if MAX_PENDING
byte taken;

#ifdef MISTAKE_UNBOUNDED_UNCOUNTED
#define UNCOUNTED 1
#else
#define UNCOUNTED 0
#endif

#ifdef MISTAKE_UNBOUNDED_REFUSED
#define IS_BOUNDED true
#else
#define IS_BOUNDED bounded
#endif

/* quota.go: acquire leaves noPermit if there is none. */
inline acquire() {
	do
	:: atomic { !IS_BOUNDED -> taken = taken + 1 - UNCOUNTED; break }
	:: atomic {
			IS_BOUNDED ->
			i = taken;
			if
			:: i >= MAX_PENDING -> i = 0; noPermit = 1; break
			:: else
			fi
		};
		atomic {
			if
#ifdef MISTAKE_ACQUIRE_NO_CAS
			:: true -> taken = i + 1; i = 0; break
#else
			:: taken == i -> taken++; i = 0; break
			:: else -> i = 0
#endif
			fi
		}
	od
}

inline release() { taken-- }
inline releaseAll() { taken = taken - ended }
#else
inline acquire() { skip }
inline release() { skip }
inline releaseAll() { skip }
#endif

#ifdef MISTAKE_FULL_WHEN_STOPPED
#define REFUSAL REJECTED
#else
#define REFUSAL (head[STRIPES - 1] == CLOSED -> REJECTED_STOPPED : REJECTED)
#endif

/* arm: an Arm if bounded, or else a Reset, to deadline d. It leaves err: the arming was refused. */
inline arm(to, d) {
#if MAX_PENDING
	late = closed;
#endif
	do
	:: RMW {
		w = word[to];
		if
		:: atomic {
			state(w) == PENDING -> move(to, d);
			w = 0;
			if
			:: ok -> ok = 0; break
			:: else
			fi
			}
		:: state(w) != PENDING ->
			acquire();
			if
			:: noPermit ->
				atomic { noPermit = 0; refusal = REFUSAL };
				atomic {
				reject(to, d, refusal);
#if MAX_PENDING
				assert(bounded);	/* the bound refuses no other call */
				assert(!(ok && late && refusal == REJECTED));	/* a stopped timer is not full */
#endif
				refusal = 0;
				w = 0;
				if
				:: ok -> ok = 0; err = 1; break
				:: else
				fi
				}
			:: atomic {
				!noPermit -> begin(to, d);
				w = 0;
				if
				:: ok -> ok = 0; break
				:: else
				fi
				};
#ifndef MISTAKE_PERMIT_KEPT
				release()
#endif
			fi
		fi
	}
	od;
#if MAX_PENDING
	late = 0;
#endif
	pay(to)
}

inline pay(to) {
	if
	:: atomic { owe -> owe = 0; queue_push(to) }; pushed(to)
	:: else
	fi
}

/* armNew, of Schedule if bounded, or else of AfterFunc: nobody else can see the timeout yet. */
inline armNew(to, d) {
	acquire();
	if
	:: noPermit -> atomic {
		assert(bounded);
		noPermit = 0;
		refusal = REFUSAL;
		told[to] = refusal;
		word[to] = pack(d, 0, refusal);
		refusal = 0;
		err = 1
		}
	:: else ->
		beginNew(to, d);
		queue_push(to);
		pushed(to)
	fi
}

/* push after queue.push: help, whenever the stripe may have become deep. announce is in alarm.pml. */
inline pushed(to) {
	if
	:: ok -> ok = 0;
#if RELIEF
		help(to)
#endif
	:: else -> refuse(to)
	fi
}

#if TASKS
#define ALONE false
#else
#define ALONE (callers == 1)
#endif

#define isNotLate(i) (told[i] != PENDING || deadline(word[i]) == NEVER || \
	!alone && queued(word[i]) && home[i] != IN_BATCH || at <= max(deadline(word[i]), opening))

#ifdef COUNTER
inline watch(who) {
	i = 1;
	do
	:: who || i == ALL -> i = 0; break
	:: else -> watched[i] = told[i] == PENDING && (inQueue[i] || home[i] != UNFILED); i++
	od
}

inline assertCounted(who) {
	assert(who || closed || !watched[i] || home[i] >= FILED || inTheBatch(i));
	watched[i] = (who -> watched[i] : 0)
}
#else
#define watch(who)         skip
#define assertCounted(who) skip
#endif

/* look: Pending, NextDue and Stats. It counts in the hold that ends drainAll. */
inline pending(who) {
	atomic { alone = ALONE; watch(who) };
	drainAll(who);
	atomic {
		mu = 0;
		at = wheel_next;
		n = 0;
		i = 1;
		do
		:: i == ALL -> i = 0; break
		:: else ->
			assertCounted(who);
			countPending();
			guarded_next();
			n = n - (told[i] == PENDING);
			i++
		od;
		assert(!alone || closed || n == 0);	/* exact, when no other call is under way */
		assert(closed || ALL_TIMEOUTS(isNotLate));
		n = 0; alone = 0; at = 0
	}
}
