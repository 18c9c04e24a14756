package keyed_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Window knows the messages of the last minutes. One goroutine asks it, the one that reads
// the queue: between Get and Set nobody else may come.
type Window struct {
	seen *keyed.Map[string, struct{}]
	span time.Duration
}

func NewWindow(tm *hashedwheel.Timer, span time.Duration) *Window {
	return &Window{keyed.New(tm, func(string, struct{}) {}), span}
}

// First reports whether id comes for the first time within the span. The time counts from the
// first, so a message that is repeated for ever is let through once a span. With Touch in
// place of Get each repetition would begin the span anew.
func (w *Window) First(id string) (bool, error) {
	if _, ok := w.seen.Get(id); ok {
		return false, nil
	}
	return true, w.seen.Set(id, struct{}{}, w.span)
}

// A window for duplicates: a queue that delivers at least once, and a consumer that acts once.
func Example_duplicates() {
	tm, clock := example()
	defer tm.Stop()
	window := NewWindow(tm, 5*time.Minute)

	for _, id := range []string{"m1", "m2", "m1", "m1"} {
		if first, err := window.First(id); err == nil && first {
			fmt.Println("act on", id)
		}
		clock.Advance(2 * time.Minute)
	}
	fmt.Println(window.seen.Len(), "remembered")
	// Output:
	// act on m1
	// act on m2
	// act on m1
	// 1 remembered
}
