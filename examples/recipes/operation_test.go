package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An operation waits under several keys, such as the partitions of a fetch, for an event of one of them.
type operation struct {
	waiting *operations
	keys    []string
	timeout hashedwheel.Timeout
	ended   func(expired bool) // called once
}

// Operations has all operations that wait.
type operations struct {
	tm    *hashedwheel.Timer
	mu    sync.Mutex
	byKey map[string]map[*operation]bool // no set is empty; guarded by mu
}

// add lets an operation wait for an event of its keys, at most for d.
func (ops *operations) add(d time.Duration, ended func(expired bool), keys ...string) error {
	op := &operation{waiting: ops, keys: keys, ended: ended}
	ops.mu.Lock()
	defer ops.mu.Unlock()
	if err := op.timeout.Init(ops.tm, op).Arm(d); err != nil {
		return err // the Timer is stopped or full
	}
	for _, key := range keys {
		if ops.byKey[key] == nil {
			ops.byKey[key] = make(map[*operation]bool)
		}
		ops.byKey[key][op] = true
	}
	return nil
}

// remove frees an operation from all of its keys, not only from that of the event. The caller holds mu.
func (ops *operations) remove(op *operation) {
	for _, key := range op.keys {
		if delete(ops.byKey[key], op); len(ops.byKey[key]) == 0 {
			delete(ops.byKey, key)
		}
	}
}

// event ends all operations that wait under key.
func (ops *operations) event(key string) {
	var ended []*operation
	ops.mu.Lock()
	for op := range ops.byKey[key] {
		if op.timeout.Stop() { // otherwise Run ends it
			ops.remove(op)
			ended = append(ended, op)
		}
	}
	ops.mu.Unlock()
	for _, op := range ended {
		op.ended(false)
	}
}

// Run ends an operation whose time is up.
func (op *operation) Run(*hashedwheel.Timeout) {
	op.waiting.mu.Lock()
	op.waiting.remove(op)
	op.waiting.mu.Unlock()
	op.ended(true)
}

// An operation that has ended is freed from all its keys at once. Otherwise it stays in memory until the next event of
// each key, which may never come: Kafka's brokers ran out of memory in this way (KAFKA-664), and now purge.
func Example_operationUnderSeveralKeys() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	ops := &operations{tm: tm, byKey: make(map[string]map[*operation]bool)}

	for _, name := range []string{"fetch 1", "fetch 2"} {
		ended := func(expired bool) { fmt.Println(name, "has ended, expired:", expired) }
		if err := ops.add(time.Second, ended, name, "logs", "metrics"); err != nil {
			fmt.Println(err)
		}
	}
	ops.event("fetch 1")
	fmt.Println(len(ops.byKey), "keys")
	clock.Advance(time.Second)
	ops.event("logs")
	fmt.Println(len(ops.byKey), "keys")
	// Output:
	// fetch 1 has ended, expired: false
	// 3 keys
	// fetch 2 has ended, expired: true
	// 0 keys
}
