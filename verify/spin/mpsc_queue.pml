/* mpsc_queue.go: the hand-over from producers to whoever holds mu.
 *
 * push is one step: its CAS succeeds only on the head that was loaded, and a
 * head loaded closed stays so. take and empty are one step, over all stripes:
 * whoever calls them holds mu, so that meanwhile stripes can only fill, and
 * those seen empty one after another were all empty when the first was seen.
 * close goes from stripe to stripe: see collect.
 */

#define CLOSED 255

#define stripe(to) ((to - 1) % STRIPES)

byte head[STRIPES];
bit inQueue[ALL];	/* ghost: pushed, and not unqueued since */

/* queue.push leaves ok. */
inline queue_push(to) {
	atomic {
		if
		:: head[stripe(to)] == CLOSED -> ok = 0
		:: else ->
			assert(!inQueue[to]);	/* in the queue at most once */
			inQueue[to] = 1;
			link[to] = head[stripe(to)];
			head[stripe(to)] = to;
			lookers++;
			ok = 1
		fi
	}
}

#define TAKEN(s) (head[s] != 0 && head[s] != CLOSED)
#if STRIPES > 1
#define EMPTY (head[0] == 0 && head[1] == 0)
#else
#define EMPTY (head[0] == 0)
#endif

/* take leaves a stack in backlog, from whichever stripe's turn it is. */
inline queue_take() {
	if
	:: TAKEN(0) -> backlog = head[0]; head[0] = 0
#if STRIPES > 1
	:: TAKEN(1) -> backlog = head[1]; head[1] = 0
#endif
	:: else
	fi
}
