module github.com/hashicorp/raft v1.8.0
# Loops that wait again and again have a Waiter each, which they reset; RPCs in memory take one from the pool.
file util.go
26a\
\
// random returns a time between d and 2 d.\
func random(d time.Duration) time.Duration { return d + time.Duration(rand.Int63())%d }
file replication.go
13a\
\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
397a\
	timer, fired := wheel.Wait(random(r.config().HeartbeatTimeout / 10)), false
402c\
		case <-timer.C:\
			fired = true
403a\
			timer.Free(false)
420a\
				timer.Free(fired)
438a\
		timer.Reset(random(r.config().HeartbeatTimeout/10), fired)\
		fired = false
471a\
	timer, fired := wheel.Wait(random(r.config().CommitTimeout)), false
495c\
		case <-timer.C:\
			fired = true
498a\
		timer.Reset(random(r.config().CommitTimeout), fired)\
		fired = false
499a\
	timer.Free(fired)
file inmem_transport.go
10a\
\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
182a\
	timer := wheel.Wait(timeout)
185c\
	case <-timer.C:\
		timer.Free(true)
188a\
	timer.Reset(timeout, false)
196c\
		timer.Free(false)\
	case <-timer.C:\
		timer.Free(true)
277c\
			var timeoutCh <-chan struct{}\
			free := func(bool) {}
279c\
				timer := wheel.Wait(timeout)\
				timeoutCh, free = timer.C, timer.Free
283a\
				free(false)
294a\
				free(true)
302a\
				free(false)
320,325d
342a\
	var timeout <-chan struct{}\
	free := func(bool) {}\
	if i.trans.timeout > 0 {\
		timer := wheel.Wait(i.trans.timeout)\
		timeout, free = timer.C, timer.Free\
	}
344a\
		free(false)
345a\
		free(true)
347a\
		free(false)
