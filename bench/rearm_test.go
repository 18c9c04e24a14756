package bench

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// callsPerRead is how many calls an event loop makes with a time that it has read once.
const callsPerRead = 256

// BenchmarkRearm arms and stops a timeout that its goroutine owns.
func BenchmarkRearm(b *testing.B) {
	parallel(b, "", ownersAt, func(k Kind) func(pb *testing.PB) {
		t := k.Open(armTick).(Owner)
		if k.At {
			return func(pb *testing.PB) {
				own := t.New(nop).(*hashedwheel.Timeout)
				at := time.Time{}
				for i := 0; pb.Next(); i++ {
					if i%callsPerRead == 0 {
						at = time.Now().Add(deadline)
					}
					own.ResetAt(at)
					own.Stop()
				}
			}
		}
		return func(pb *testing.PB) {
			for own := t.New(nop); pb.Next(); {
				own.Reset(deadline)
				own.Stop()
			}
		}
	})
}
