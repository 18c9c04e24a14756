/* stop.go */

/* returned puts a timeout into what Timer.Stop returns. */
inline returned(to) {
	assert(!inLeft[to]);	/* once */
	inLeft[to] = 1
}

inline collect() {
	list = 0; s = 0;
	do
	:: s == STRIPES + 2 -> s = 0; break
	:: else ->
		atomic {
			if
#ifdef MISTAKE_STOP_NO_CLOSE
			:: s < STRIPES -> list = head[s]; head[s] = 0
#else
			:: s < STRIPES -> list = head[s]; head[s] = CLOSED
#endif
#ifdef MISTAKE_STOP_FORGETS_BACKLOG
			:: s == STRIPES -> backlog = 0
#else
			:: s == STRIPES -> list = backlog; backlog = 0
#endif
#ifdef MISTAKE_STOP_FORGETS_HELD
			:: s == STRIPES + 1 -> held = 0
#else
			:: s == STRIPES + 1 -> list = held; held = 0
#endif
			fi;
			s++
		};
		do
		:: list == 0 -> break
		:: else ->
			atomic { to = list; list = link[to] };
			unqueue(to, false);
			if
#ifdef MISTAKE_STOP_RETURNS_TWICE
			:: false
#else
			:: home[to] == IN_BATCH	/* its turn comes with the batch, and once */
#endif
			:: else -> cancel(to)
			fi;
			to = 0
		od
	od;
	/* wheel.clear, then the due list */
	do
	:: true ->
		atomic {
			to = 1;
			do
			:: to == ALL || home[to] >= FILED || home[to] == IN_DUE -> break
			:: else -> to++
			od
		};
		if
		:: to == ALL -> to = 0; break
		:: else
		fi;
		home[to] = UNFILED;
		cancel(to);
		to = 0
	od;
#ifndef MISTAKE_STOP_FORGETS_BATCH
	do
	:: s == filled[theBatch] -> s = 0; break
	:: else ->
		atomic { to = slot(theBatch, s); s++ };
		cancel(to);
		to = 0
	od
#endif
}

/* Timer.Stop. */
inline timer_stop() {
	lock();
	if
	:: stopped
	:: else ->
		stopped = 1;
		collect();
#ifndef MISTAKE_STOP_LEAVES_PARKED
		parked = AWAKE;
#endif
		quit = 1;
		if
#ifdef MISTAKE_FINISH_TOO_SOON
		:: true -> done = 1
#else
		:: running == 0 -> done = 1
#endif
		:: else
		fi
	fi;
	atomic { mu = 0; stopReturned = 1 }
}

/* leave, with finish. */
inline leave() {
	atomic {
		running--;
		hit = running == 0
	};
	if
	:: hit -> atomic {
		mu == 0 -> hit = 0;
		if
		:: stopped && running == 0 -> done = 1
		:: else
		fi
		}
	:: else
	fi
}
