package keyed_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Reading waits for more of its kind, for at most a second, before it is written.
type Reading struct {
	sensor int
	sum    float64
}

// write is one statement to a database, for all rows of a batch.
func write(batch []Reading) { fmt.Println("write", len(batch), "rows") }

// writeBatches writes up to 128 rows at once. Rows that expire during a write are in the next batch.
func writeBatches(expired <-chan Reading) {
	for r := range expired {
		batch := []Reading{r}
		for len(batch) < 128 && len(expired) > 0 { // no other goroutine receives
			batch = append(batch, <-expired)
		}
		write(batch)
	}
}

// Values that expire together are written together. expired sends each to a channel, and one goroutine receives them.
// A send that finds the channel full waits, as a task of the default Executor may.
func Example_batches() {
	tm, clock := example()
	defer tm.StopAll()
	expired := make(chan Reading, 1024)
	readings := keyed.New(tm, func(_ int, r Reading) { expired <- r })

	for sensor := range 300 {
		_ = readings.Set(sensor, Reading{sensor, 21.5}, time.Second)
	}
	clock.Advance(time.Second)
	close(expired) // in a program after Timer.Shutdown, which waits for the last send, and Drain
	writeBatches(expired)
	// Output:
	// write 128 rows
	// write 128 rows
	// write 44 rows
}
