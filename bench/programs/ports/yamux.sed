module github.com/hashicorp/yamux v0.1.2
# Reads, writes and sends take a Waiter from the pool.
file util.go
3,7d
15,24d
file session.go
16a\
\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
392,402c\
	timer, fired := wheel.Wait(s.config.ConnectionWriteTimeout), false\
	defer func() { timer.Free(fired) }()
409c\
	case <-timer.C:\
		fired = true
439c\
	case <-timer.C:\
		fired = true
449,459c\
	timer, fired := wheel.Wait(s.config.ConnectionWriteTimeout), false\
	defer func() { timer.Free(fired) }()
466c\
	case <-timer.C:\
		fired = true
file stream.go
9a\
\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
139,140c\
	var timeout <-chan struct{}\
	var timer *wheel.Waiter
143,145c\
		timer = wheel.Wait(time.Until(readDeadline))\
		timeout = timer.C
150a\
		timer.Free(true)
154,156c\
		timer.Free(false)
226,227c\
	var timeout <-chan struct{}\
	var timer *wheel.Waiter
230,232c\
		timer = wheel.Wait(time.Until(writeDeadline))\
		timeout = timer.C
237a\
		timer.Free(true)
241,243c\
		timer.Free(false)
