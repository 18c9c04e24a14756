// Package keyed provides a map whose values expire. It is not a cache, which evicts values to stay within a bound: for
// that see otter or ristretto. Every value has one end. When the deadline of a value has passed, the map calls your
// function with key and value. Use it for sessions, calls in flight, and messages seen before.
//
//	sessions := keyed.New(tm, func(id string, s *Session) { s.Close() }, keyed.WithName("sessions"))
//	err := sessions.Set(id, s, 30*time.Minute)    // new, or replaces value and deadline
//	s, ok := sessions.Touch(id, 30*time.Minute)   // expires 30 minutes from now
//	s, ok = sessions.Get(id)                      // does not move the deadline
//	s, ok = sessions.Delete(id)                   // the function is not called
//
// For values that expire some time after their last use, call Touch at each use. If each use has the value at hand, it
// can note the time in the value, without a look-up: see [NewRenewing].
//
// Three methods do in one step what would be a race in two calls:
//
//	old, loaded, err := sessions.Swap(id, s, 30*time.Minute)         // Set, and old is yours to close
//	_, seen, err := messages.GetOrSet(id, struct{}{}, 5*time.Minute) // act on it unless seen
//	valid := codes.CompareAndDelete(user, code)                      // true for one caller
//
// Two calls touch a key or insert it. If another goroutine inserts the key in between, its deadline is also new:
//
//	n, ok := limits.Touch(addr, time.Hour)
//	if !ok {
//		n, _, err = limits.GetOrSet(addr, new(Limit), time.Hour)
//	}
//
// # A value is valid until its deadline
//
// From its deadline on, a value is absent, even if the worker or the Executor is behind, or the timer is stopped: Get,
// Deadline, Touch, Delete, CompareAndDelete and All do not find it, and GetOrSet sets a new one. (A map of
// [NewRenewing] keeps it until renew has returned.) expired is still called for it, once; its task is handed to the
// Executor at most one tick late. Two calls of expired may overlap, even for the same key if it was set again, unless
// the Executor runs one task at a time. expired may be called for a value after the next value of its key was set:
// where that matters, number the values. A delay counts from the moment at which the call changes the key: a call that
// had to wait for another does not shorten the delay that the other has set.
//
// # Every value has one end
//
// A value that Set, Swap or GetOrSet accepted ends once: it expires, and expired is called with it; or Delete or
// CompareAndDelete removes it; or Set or Swap replaces it, even after its deadline, if expired has not been called yet;
// or Drain passes it to its function. If expired sets the key again, other goroutines may miss the key in between; with
// NewRenewing they do not.
//
// # When the timer is full or stopped
//
// A full timer refuses new keys, and keys whose value has expired, with hashedwheel.ErrFull. It does not refuse to move
// or to renew.
//
// hashedwheel.WithMaxPending bounds the pending values, not those whose task the Executor has: the map grows without
// bound if values expire faster than the Executor runs expired. With Inline, or an Executor that blocks while it is
// behind, the map stays within the bound.
//
// After Timer.StopAll a value expires only if the timer had already handed it to its Executor. All other values stay in
// the map, and count in Len, until Drain takes them out, but are absent from their deadlines on. None is missing, even
// if other goroutines call Set while StopAll runs:
//
//	_, err := tm.Shutdown(ctx)
//	sessions.Drain(func(id string, s *Session) { s.Close() })
//
// To close a map whose timer keeps running, set a flag, then Drain; a caller that finds the flag after its Set calls
// Delete.
//
// # What it costs
//
// A new key is one allocation: 72 bytes, the value and the key, on 64-bit machines. With its places in a Go map and in
// the wheel that makes 129 to 141 bytes for two ints, or for a string and a pointer (go test -run TestMemory -v
// ./keyed). Deleting a key, moving it, and setting a pending one allocate nothing.
//
// An empty map takes 300 bytes on any number of processors, and a map of ten keys 2.1 KiB, even after many other keys
// (go test -run On64Processors -v ./keyed): one map per tenant is fine. After many keys the map keeps 16 KiB per
// processor.
//
// Set, Get, Touch and Delete hash the key once, lock one of up to 128 shards per processor, and read the clock. (Get
// and Delete read it only for a key that they have found.) A table of bench/README.md has their costs, beside those of
// other maps.
//
// # When not to use it
//
// If the timeout belongs to a struct that you have at hand, such as a connection, give the struct a field of type
// hashedwheel.Timeout: no map, no lock, no key. As in a Go map, a key must not change: clone a string over a reused
// buffer, such as fasthttp's, with strings.Clone before Set, Swap or GetOrSet.
package keyed
