module golang.org/x/time v0.16.0
# A waiting goroutine takes a Waiter from the pool, unless the timer is a test's.
file rate/rate.go
13a\
\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
242,249c\
	return lim.wait(ctx, n, time.Now(), nil)
281a\
	}\
	if newTimer == nil {\
		w := wheel.Wait(delay)\
		select {\
		case <-w.C:\
			w.Free(true)\
			return nil\
		case <-ctx.Done():\
			w.Free(false)\
			r.Cancel()\
			return ctx.Err()\
		}
