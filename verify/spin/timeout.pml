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
	:: hit -> atomic { hit = 0; release() }
	:: else
	fi;
	pay(to)
}
