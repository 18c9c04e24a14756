/*
 * internal/crew: the goroutines of crews, each of which shares the tasks of a batch, and is
 * used again once all have left it. Each task returns, ends its goroutine, or waits until all
 * of its batch have begun: so it is a deadlock if one task has to wait for another to return.
 *
 * A goroutine that rang launches the batches that it adds as the worker, but may keep the last,
 * to run it itself once it has given the role away: while another rings, and is the worker.
 *
 * A model of its own: it meets the rest of the protocol in the role, and in running, which
 * must not be 0 before the last task is over. A program built with -race has no crews: each task
 * has its own goroutine.
 */

#ifndef TASKS
#define TASKS 2
#endif
#ifndef BATCHES
#define BATCHES 2
#endif
#define ALL (BATCHES * TASKS)
#define NONE BATCHES

bool isWorker;	/* the goroutine that init stands for */
byte added;	/* batches */
byte spare = NONE;	/* the crew to be used again */
byte next = NONE;	/* the crew of the batch that was added last, and is not launched */
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
	atomic {
		if
		:: !coming[c] -> coming[c] = true; caller = true
		:: else
		fi
	}
	if
	:: caller ->
		caller = false;
		inside[c]++;
#ifndef MISTAKE_CREW_COUNTED_LATE
		running++;
#endif
		run work(c, true)
	:: else
	fi
}

/* isCalled: otherwise it is the rest of ring. */
proctype work(byte c; bool isCalled)
{
	byte i;
	bool caller, last;

#ifdef MISTAKE_CREW_COUNTED_LATE
	running = running + isCalled;
#endif
	coming[c] = false;
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

#define mine assert(isWorker)	/* Add, Launch and Keep are for one goroutine at a time */

inline add()
{
	atomic {
		mine;
		next = (spare < NONE -> spare : added);	/* or a new one */
		spare = NONE;
		batch[next] = added;
		added++
	}
}

inline launch()
{
	if
	:: atomic { next < NONE -> mine; c = next; next = NONE };
		call(c, caller);
		c = NONE
	:: else
	fi
}

inline keep()
{
	atomic {
		mine;
		c = next;
		next = NONE;
		if
		:: c < NONE -> inside[c]++
		:: else
		fi
	}
}

init	/* goroutines that ring, one after the other: what worker.work does with the crews; at last Timer.StopAll */
{
	byte c = NONE, i;
	bool caller;

	running = 1;
	do
	:: atomic { added < BATCHES -> isWorker = true; running++ };
		do
		:: added < BATCHES -> launch(); add()
		:: next < NONE -> break
		od;
#ifndef MISTAKE_KEEP_AFTER_REST
		keep();
#endif
		isWorker = false;
#ifdef MISTAKE_KEEP_AFTER_REST
		keep();
#endif
		if
		:: c < NONE -> atomic { run work(c, false); c = NONE }
		:: else -> leave()
		fi
	:: added == BATCHES -> break
	od;
	leave();
	(_nr_pr == 1);
	assert(over == ALL && running == 0);
	for (i : 0 .. BATCHES - 1) {
		assert(begun[i] == TASKS)
	}
}
