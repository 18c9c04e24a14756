package keyed_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Window has the messages of the last minutes. Any number of goroutines may use it.
type Window struct {
	seen *keyed.Map[string, struct{}]
	span time.Duration
}

func NewWindow(tm *hashedwheel.Timer, span time.Duration) *Window {
	return &Window{keyed.New(tm, func(string, struct{}) {}, keyed.WithName("messages seen")), span}
}

// First reports whether this is the first message with an id within the span. The time counts
// from the first, so a message that is repeated forever is let through once a span. With Touch
// after a GetOrSet that found the id, each repetition begins the span again.
func (w *Window) First(id string) (bool, error) {
	_, seen, err := w.seen.GetOrSet(id, struct{}{}, w.span)
	return !seen && err == nil, err
}

// A window for duplicates: a queue that delivers at least once, and consumers in several
// goroutines that act once.
func Example_duplicates() {
	tm, clock := example()
	defer tm.Stop()
	window := NewWindow(tm, 5*time.Minute)

	var acts atomic.Int32
	consume := func() {
		for n := range 1000 {
			if first, err := window.First(fmt.Sprint("m", n)); err == nil && first {
				acts.Add(1)
			}
		}
	}
	var consumers sync.WaitGroup
	for range 4 {
		consumers.Go(consume)
	}
	consumers.Wait()
	fmt.Println("delivered 4000, acted on", acts.Load())

	clock.Advance(5 * time.Minute)
	fmt.Println(window.seen)
	// Output:
	// delivered 4000, acted on 1000
	// keyed.Map(messages seen, 0 keys)
}
