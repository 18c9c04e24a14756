/* mpsc_queue.go: the hand-over from producers to whoever holds the lock.
 *
 * push is one step: its CAS succeeds only on the head that was loaded, and a head
 * loaded closed stays so. take looks at a stripe a step. empty is one step over all
 * stripes: its caller holds the lock, so that meanwhile they can only fill, and those
 * seen empty were all empty when the first was seen. close goes from stripe to
 * stripe: see stop.pml.
 */

#define CLOSED 255

#define stripeOf(to) ((to - 1) % STRIPES)

byte head[STRIPES];
byte looked;	/* modulo STRIPES */
byte turnLeft;	/* looks until looked is beyond the end of the turn that drainAll waits for */
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
			lookers++;
			ok = 1
		fi
	}
}

#if STRIPES > 1
#define EMPTY (head[0] == 0 && head[1] == 0)
#else
#define EMPTY (head[0] == 0)
#endif

inline takeFrom(s) {
	if
	:: head[s] != 0 && head[s] != CLOSED -> backlog = head[s]; head[s] = 0
	:: else
	fi
}

/* look is one turn of the loop in take; i counts the stripes that were empty. */
inline look() {
	takeFrom(looked);
	i = (backlog == 0 -> i + 1 : 0);
	looked = (looked + 1) % STRIPES;
	turnLeft = (turnLeft > 0 -> turnLeft - 1 : 0)
}
