package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A pacer sends the messages of one peer at least gap apart.
type pacer struct {
	gap  time.Duration
	send func(message string)

	mu    sync.Mutex
	queue []string  // the first stays until it has been sent: while queue is not empty, turn is armed or runs
	next  time.Time // before which nothing is sent
	turn  hashedwheel.Timeout
}

func (p *pacer) enqueue(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, message)
	if len(p.queue) == 1 {
		p.turn.ResetAt(p.next) // a time in the past is due at once
	}
}

// Run sends the first message, and arms the Timeout if there is another.
func (p *pacer) Run(turn *hashedwheel.Timeout) {
	next := turn.Timer().Now().Add(p.gap)
	p.mu.Lock()
	message := p.queue[0]
	p.mu.Unlock()
	p.send(message) // may block: the next run waits for it

	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = next
	if p.queue = p.queue[1:]; len(p.queue) > 0 {
		turn.ResetAt(next)
	}
}

// A pacer whose Timeout is armed when a message is queued, and not while the queue is empty. So an idle peer costs
// nothing, where a Ticker or Every for each peer wakes up in each period.
func Example_pacer() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))

	p := &pacer{gap: 5 * time.Millisecond}
	p.send = func(message string) { fmt.Println(message, "after", clock.Now().Sub(start).Truncate(time.Millisecond)) }
	p.turn.Init(tm, p)
	p.enqueue("a")
	p.enqueue("b")
	clock.Advance(time.Second)
	fmt.Println(tm.Pending(), "pending,", tm.Stats().Expired, "expired")
	p.enqueue("c") // the last message was long ago
	clock.Advance(time.Second)
	// Output:
	// a after 0s
	// b after 5ms
	// 0 pending, 2 expired
	// c after 1s
}
