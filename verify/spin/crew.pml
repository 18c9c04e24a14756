/*
 * internal/crew: the goroutines of a crew, which share the tasks of a batch. Each task
 * returns, ends its goroutine, or waits until all of them have begun: so it is a
 * deadlock if one task has to wait for another to return.
 *
 * A model of its own: it meets the rest of the protocol in running alone, which
 * must not be 0 before the last task is over.
 */

#ifndef TASKS
#define TASKS 4
#endif

byte taken, running;
bool coming;
byte begun, over;
byte runs[TASKS];

inline leave()
{
	atomic {
		running--;
		assert(running > 0 || over == TASKS);	/* Shutdown waits for all */
	}
}

inline call(caller)
{
	caller = false;
	atomic {
		if
		:: !coming -> coming = true; caller = true
		:: else
		fi
	}
	if
	:: caller ->
#ifndef MISTAKE_CREW_COUNTED_LATE
		running++;
#endif
		run work()
	:: else
	fi
}

proctype work()
{
	byte i;
	bool caller;

#ifdef MISTAKE_CREW_COUNTED_LATE
	running++;
#endif
#ifndef MISTAKE_CREW_COMES_LATE
	coming = false;
#endif
	do
	:: atomic { i = taken; taken++ }
		if
		:: i >= TASKS -> break
		:: else
		fi;
#ifndef MISTAKE_CREW_CALLS_LATE
		if
		:: i + 1 < TASKS -> call(caller)
		:: else
		fi;
#endif
#ifdef MISTAKE_CREW_COMES_LATE
		coming = false;
#endif
		atomic { runs[i]++; assert(runs[i] == 1); begun++ }
		if
		:: true
		:: true -> (begun == TASKS)
		:: true ->	/* runtime.Goexit */
			over++;
			break
		fi;
		over++;
#ifdef MISTAKE_CREW_CALLS_LATE
		if
		:: i + 1 < TASKS -> call(caller)
		:: else
		fi
#endif
	od;
	leave()
}

init	/* the worker, in launch */
{
	bool caller;

	running = 1;
	call(caller);
	leave();
	(_nr_pr == 1);
	assert(begun == TASKS && over == TASKS && running == 0)
}
