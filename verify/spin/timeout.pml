/* timeout.go: Stop. Reset and ResetAt are arm, in word.pml. */

inline stop(to) {
	do
	:: RMW {
		atomic {
			w = word[to];
			if
			:: state(w) != PENDING -> w = 0; break
			:: else
			fi
		};
		atomic {
			if
			:: word[to] == w ->
				tell(to, CANCELLED);
#ifdef MISTAKE_STOP_NO_PUSH
				word[to] = settled(w, CANCELLED);
#else
				word[to] = settled(w, CANCELLED) | QUEUED;
				owe = !queued(w);
#endif
				hit = 1;
				w = 0;
				break
			:: else -> w = 0
			fi
		}
	}
	od;
	if
	:: hit -> hit = 0; release()
	:: else
	fi;
	if
	:: owe -> owe = 0; push(to)
	:: else
	fi
}
