/* executor.go: what runs, and done. Of tasks only that they are counted; the
 * goroutines of the default executor are in crew.pml.
 */

#ifdef MISTAKE_RUNNING_FROM_0
byte running;
#else
byte running = 1;
#endif
bit  done;
byte handed;	/* tasks that have not returned */

inline enter() { running++ }

inline leave() {
	atomic {
		assert(running > 0);
		running--;
		hit = running == 0
	};
	if
	:: hit -> atomic {
		hit = 0;
		assert(closed && owner == 0 && handed == 0);	/* nothing runs and nothing can start */
#ifdef MISTAKE_DONE_TWICE
		assert(!done);	/* a channel is closed once */
#endif
		done = 1
		}
	:: else
	fi
}
