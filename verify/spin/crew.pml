/*
 * internal/crew: the goroutines of crews, each of which shares the tasks of a batch, and is
 * used again once all have left it. Each task returns, ends its goroutine, or waits until all
 * of its batch have begun: so it is a deadlock if one task has to wait for another to return.
 *
 * A model of its own: it meets the rest of the protocol in running alone, which
 * must not be 0 before the last task is over.
 */

#ifndef TASKS
#define TASKS 2
#endif
#ifndef BATCHES
#define BATCHES 2
#endif
#define ALL (BATCHES * TASKS)
#define NONE BATCHES

byte spare = NONE;	/* the crew to be used again */
byte batch[BATCHES];	/* which a crew has; as many crews as batches */
byte taken[BATCHES], inside[BATCHES];
bool coming[BATCHES];

byte running;
byte begun[BATCHES], over;
byte runs[ALL];

inline leave()
{
	atomic {
		running--;
		assert(running > 0 || over == ALL);	/* Shutdown waits for all */
	}
}

inline call(c, caller)
{
	caller = false;
	atomic {
		if
		:: !coming[c] -> coming[c] = true; caller = true
		:: else
		fi
	}
	if
	:: caller ->
#ifndef MISTAKE_CREW_LEFT_TOO_SOON
		inside[c]++;
#endif
#ifndef MISTAKE_CREW_COUNTED_LATE
		running++;
#endif
		run work(c)
	:: else
	fi
}

proctype work(byte c)
{
	byte i;
	bool caller, last;

#ifdef MISTAKE_CREW_COUNTED_LATE
	running++;
#endif
#ifdef MISTAKE_CREW_LEFT_TOO_SOON
	inside[c]++;
#endif
#ifndef MISTAKE_CREW_COMES_LATE
	coming[c] = false;
#endif
	do
	:: atomic { i = taken[c]; taken[c]++ }
		if
		:: i >= TASKS -> break
		:: else
		fi;
#ifndef MISTAKE_CREW_CALLS_LATE
		if
		:: i + 1 < TASKS -> call(c, caller)
		:: else
		fi;
#endif
#ifdef MISTAKE_CREW_COMES_LATE
		coming[c] = false;
#endif
		atomic {
			i = batch[c] * TASKS + i;
			runs[i]++;
			assert(runs[i] == 1);
			begun[i / TASKS]++
		}
		if
		:: true
		:: true -> (begun[i / TASKS] == TASKS)
		:: true ->	/* runtime.Goexit */
			over++;
			break
		fi;
		over++;
#ifdef MISTAKE_CREW_CALLS_LATE
		if
		:: i % TASKS + 1 < TASKS -> call(c, caller)
		:: else
		fi
#endif
	od;
	atomic { inside[c]--; last = (inside[c] == 0) }
#ifdef MISTAKE_CREW_USED_TOO_SOON
	last = (taken[c] >= TASKS);	/* no task is left: but others may be about to look */
#endif
	if
	:: last -> taken[c] = 0; spare = c
	:: else
	fi;
	leave()
}

init	/* the worker: it launches one batch after the other */
{
	byte b, c;
	bool caller;

	running = 1;
	do
	:: b == BATCHES -> break
	:: else ->
		atomic { c = spare; spare = NONE }
		if
		:: c == NONE -> c = b	/* a new one */
		:: else
		fi;
		batch[c] = b;
		call(c, caller);
		b++
	od;
	leave();
	(_nr_pr == 1);
	assert(over == ALL && running == 0);
	for (b : 0 .. BATCHES - 1) {
		assert(begun[b] == TASKS)
	}
}
