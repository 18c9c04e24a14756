/* timeout.go: Stop. Reset, ResetAt, Arm and ArmAt are arm, in timer.pml. */

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
			cancel(to);
			w = 0;
			if
			:: ok -> ok = 0; hit = 1; break
			:: else
			fi
		}
	}
	od;
	if
#ifdef MISTAKE_PERMIT_TWICE
	:: atomic { hit = 0; release() }
#else
	:: hit -> atomic { hit = 0; release() }
	:: else
#endif
	fi;
	pay(to)
}
