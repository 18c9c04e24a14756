/* batch.go: what the worker does, and handOn of handoff.go. A batch is known by
 * its number; handOn takes the next one.
 */

#define slot(b, i) timeouts[(b) * BATCH + (i)]

byte timeouts[BATCHES * BATCH];
byte filled[BATCHES];
byte late;	/* ghost: claims whose worker has not looked yet whether it was replaced */
byte theBatch;	/* Timer.batch: whose it is, is the worker */

/* drain leaves in drained how many timeouts it saw, up to limit. What it does
 * to each is file.
 */
inline drain(limit) {
	drained = 0;
	do
	:: atomic {
		if
		:: backlog == 0 && drained < limit -> queue_take()
		:: else
		fi;
		if
		:: backlog == 0 || drained == limit -> break
		:: else
		fi;
		to = backlog;
		backlog = link[to];
		drained++;
#ifndef MISTAKE_HELD_FILED
		if
		:: home[to] == IN_BATCH -> link[to] = held; held = to; to = 0
		:: else
		fi
#endif
		};
		if
		:: to == 0
		:: else -> unqueue(to, true); to = 0
		fi
	od
}

/* fillBatch is called with nothing in the batch. */
inline fillBatch(b, tick) {
	do
	:: atomic {
		if
		:: filled[b] == BATCH -> break
		:: else
		fi;
		to = 1;
		do
		:: to == ALL || home[to] == IN_DUE -> break
		:: else -> to++
		od;
		if
		:: to == ALL ->
			to = 0;
			advance(tick);
			if
			:: first > tick -> first = 0; break
			:: else -> first = 0
			fi
		:: else ->
			home[to] = UNFILED;
			w = word[to];
			if
			:: state(w) != PENDING || queued(w)
			:: state(w) == PENDING && !queued(w) && deadline(w) > tick -> place(to, deadline(w))
			:: else ->
				home[to] = IN_BATCH;
				slot(b, filled[b]) = to;
				filled[b]++
			fi;
			w = 0; to = 0
		fi
		}
	od
}

/* takeOut takes out of the wheel what a replaced worker has claimed. */
inline takeOut(to) {
	atomic {
		mu == 0 -> hit = 0;
		late--;
		if
#ifndef MISTAKE_LATE_CLAIM_STAYS
		:: home[to] != UNFILED && home[to] != IN_BATCH && state(word[to]) == EXPIRED -> home[to] = UNFILED
#endif
		:: else
		fi
	}
}

/* handOut leaves ok, and mu held, unless the wheel was handed on. */
inline handOut(b, tick) {
	turn = 0;
	do
	:: atomic {
		if
		:: turn == filled[b] || theBatch != b -> break
		:: else -> to = slot(b, turn); turn++
		fi
		}
		if
		:: to -> claim(to, tick)
		:: else
		fi;
		if
		:: hit ->
			hit = 0;
			release();
#if HANDOFFS
			atomic { hit = theBatch != b; late = late - !hit };
			if
			:: hit -> takeOut(to)
			:: else
			fi;
#endif
			execute(to)
		:: else
		fi;
		to = 0
	od;
	atomic {
		mu == 0 -> turn = 0; ok = 0;
		if
#ifndef MISTAKE_OLD_WORKER_GOES_ON
		:: theBatch != b -> mu = 0
#endif
		:: else -> mu = 1; ok = 1
		fi
	};
	if
	:: ok ->
		takeBack(b, false);
		atomic {
			do
			:: filled[b] == 0 -> break
			:: else -> filled[b]--; slot(b, filled[b]) = 0
			od
		}
	:: else
	fi
}

/* takeBack takes all out of a batch, under mu: what waits for the wheel, being
 * pending and not queued, is filed or, by handOn, put back into the due list;
 * what was held is drained again. handOn's old worker may be looking on.
 */
inline takeBack(b, toDue) {
	i = 0;
	do
	:: atomic {
		if
		:: i == filled[b] -> break
		:: else
		fi;
		x = slot(b, i);
		i++;
		assert(home[x] == IN_BATCH);	/* and nowhere else */
		home[x] = UNFILED;
		w = word[x];
		if
#ifndef MISTAKE_MOVED_NOT_FILED
		:: state(w) == PENDING && !queued(w) ->
			if
			:: toDue -> home[x] = IN_DUE
			:: else -> place(x, deadline(w))
			fi
#endif
		:: else
		fi;
		if
		:: toDue -> slot(b, i - 1) = 0	/* forget */
		:: else
		fi;
		w = 0; x = 0
	}
	od;
	atomic {
		i = 0;
		do
		:: held == 0 -> break
		:: else ->
			x = held;
			held = link[x];
			link[x] = backlog;
			backlog = x
		od;
		x = 0
	}
}

/* pass leaves ok. */
inline pass(b) {
	tick = now;
	atomic { mu == 0 -> mu = 1; assert(theBatch == b) };
	drain(DRAIN_LIMIT);
	close(tick + 1);
	do
	:: true ->
		fillBatch(b, tick);
		atomic {
			mu = 0;
			if
			:: filled[b] == 0 -> watched = 0; ok = 1; break
			:: else -> watched = 1
			fi
		};
		handOut(b, tick);
		if
		:: !ok -> break
		:: else -> ok = 0
		fi
	od
}

/* handOn makes another goroutine the worker. It is called with mu held, and gives it up. */
inline handOn() {
	atomic { watched = 0; s = theBatch; theBatch++ };
#ifndef MISTAKE_BATCH_LEFT_BEHIND
	takeBack(s, true);
#endif
	atomic {
		s = 0;
		running++;
		mu = 0;
		run work(theBatch, false)
	}
}
