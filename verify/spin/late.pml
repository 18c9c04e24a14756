/*
 * internal/crew: launched and begun, which keep the time from which a launched batch is late. Callers
 * must find a time while a batch waits for its first goroutine, and none after the last has begun.
 *
 * A separate model, as crew.pml is: which time it is does not matter.
 */

#ifndef BATCHES
#define BATCHES 4
#endif

byte waiting;	/* batches that wait */
bool late;	/* lateFrom is a time, not NoTime */
byte inside;	/* ghost: calls under way */

#define right (inside > 0 || late == (waiting > 0))

proctype begun()
{
	byte left;

	atomic { inside++; waiting--; left = waiting }
	do
	:: left > 0 -> break
	:: else ->
		late = false;
		left = waiting;
#ifndef MISTAKE_LATE_NO_SECOND_LOOK
		if
		:: left == 0 -> break
		:: else
		fi;
		late = true;
#ifndef MISTAKE_LATE_NO_LAST_LOOK
		left = waiting
#endif
#else
		break
#endif
	od;
	atomic { inside--; assert(right) }
}

init	/* the worker */
{
	byte b;

	do
	:: b == BATCHES -> break
	:: else ->
		atomic { inside++; waiting++ }
		atomic { /* CompareAndSwap(NoTime, lateFrom) */
			late = true;
			inside--;
			assert(right)
		}
		run begun();	/* the goroutine that call starts */
		b++
	od;
	(_nr_pr == 1);
	assert(waiting == 0 && !late)
}
