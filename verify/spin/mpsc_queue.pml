/* mpsc_queue.go: the hand-over from producers to the holder of the lock.
 *
 * push is one step: its CAS succeeds only on the head that was loaded, and a head
 * loaded closed stays so. take is one step too. close goes from
 * stripe to stripe: see stop.pml.
 */


#define stripeOf(to) ((to - 1) % STRIPES)

byte head[STRIPES];
bit  stripeMu[STRIPES];
bit inQueue[ALL];	/* ghost: pushed, and not unqueued since */

/* queue.push leaves ok. */
inline queue_push(to) {
	atomic {
		if
		:: head[stripeOf(to)] == CLOSED -> ok = 0
		:: else ->
			assert(!inQueue[to]);	/* in the queue at most once */
			inQueue[to] = 1;
			link[to] = head[stripeOf(to)];
			head[stripeOf(to)] = to;
			moved = 0;
			ok = 1
		fi
	}
}

#define HOLDS_ANY(s) (head[s] != 0 && head[s] != CLOSED)

/* take, with the append of takeStripe in guarded.go. If the stripe is being pruned it takes nothing. */
inline takeStripe(s) {
	if
	:: HOLDS_ANY(s) && stripeMu[s] == 0 -> append(head[s]); head[s] = 0
	:: else
	fi
}

/* The part of takeAll for a stripe. While it waits for a pruner it releases the lock. */
inline takeAllOf(s) {
	do
	:: atomic {
		if
		:: stopped || !HOLDS_ANY(s) -> break
		:: !stopped && HOLDS_ANY(s) && stripeMu[s] == 0 -> takeStripe(s); break
		:: else -> mu = 0
		fi
		};
		stripeMu[s] == 0;
		lock()
	od
}

#ifdef MISTAKE_PRUNE_NO_LOCK
#define PRUNE_MAY_BEGIN(s) true
#define HOLD(s, b)        skip
#else
#define PRUNE_MAY_BEGIN(s) (stripeMu[s] == 0)
#define HOLD(s, b)        stripeMu[s] = b
#endif

#ifdef MISTAKE_PRUNE_LINK_AFTER_CAS
byte gone_;
#endif

/* prune: above, x and below are above, t and below in Go. Its write into a link is a
 * part of its next step, or of the last: nobody else reads or writes that link. The
 * assertion is what fresh promises.
 */
inline prune(s) {
	atomic {
		if
		:: PRUNE_MAY_BEGIN(s) && head[s] != 0 && head[s] != CLOSED -> HOLD(s, 1); above = head[s]
		:: else
		fi
	};
#ifdef MISTAKE_PRUNE_TAKES_HEAD
	if
	:: atomic {
		above && above == head[s] && isZombie(word[above]) ->
			w = word[above];
			head[s] = link[above]
		};
		atomic {
			if
			:: word[above] == w -> word[above] = unqueued(w); inQueue[above] = 0; link[above] = 0
			:: else -> link[above] = head[s]; head[s] = above
			fi;
			w = 0;
			above = head[s];
			if
			:: above == 0 -> stripeMu[s] = 0
			:: else
			fi
		}
	:: else
	fi;
#endif
	do
	:: atomic {
		x == 0 ->
		if
		:: hit ->
			hit = 0;
			link[above] = below;
#ifdef MISTAKE_PRUNE_LINK_AFTER_CAS
			link[gone_] = 0;
			gone_ = 0;
#endif
			below = 0
		:: else
		fi;
		if
		:: above == 0 -> break
		:: else
		fi;
		x = link[above];
		if
		:: x == 0 -> above = 0; HOLD(s, 0); break
		:: else
		fi;
		w = word[x];
		if
		:: isZombie(w) ->
			below = link[x];
#ifndef MISTAKE_PRUNE_LINK_AFTER_CAS
			link[x] = 0;
#endif
#ifdef MERGED
			drop()
#endif
		:: else -> w = 0; above = x; x = 0
		fi
		}
#ifndef MERGED
	:: atomic { x != 0 -> drop() }
#endif
	od
}

inline drop() {
	if
	:: word[x] == w ->
		assert(inQueue[x] && home[x] == UNFILED);	/* the queue alone held it */
		inQueue[x] = 0;
		word[x] = unqueued(w);
#ifdef MISTAKE_PRUNE_LINK_AFTER_CAS
		gone_ = x;
#endif
		hit = 1
	:: else -> link[x] = below; below = 0
	fi;
	w = 0; x = 0
}
