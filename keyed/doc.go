// Package keyed is a map whose values expire: sessions, calls in flight, messages seen before. Each value has its own
// deadline; when the deadline has passed, the map calls your function with key and value.
//
//	sessions := keyed.New(tm, func(id string, s *Session) { s.Close() }, keyed.WithName("sessions"))
//	err := sessions.Set(id, s, 30*time.Minute)    // new, or replaces value and deadline
//	s, ok := sessions.Touch(id, 30*time.Minute)   // expires 30 minutes from now
//	s, ok = sessions.Get(id)                      // does not move the deadline
//	s, ok = sessions.Delete(id)                   // the function is not called
//
// For values that expire some time after their last use, call Touch at each use: it returns the value, or false if the
// key is gone. A value that Get returns may expire the moment after. If each use has the value at hand, it can note the
// time in the value, without a look-up: see [NewRenewing].
//
// Three methods do in one step what would be a race in two calls:
//
//	old, loaded, err := sessions.Swap(id, s, 30*time.Minute)         // Set, and old is yours to close
//	_, seen, err := messages.GetOrSet(id, struct{}{}, 5*time.Minute) // act on it unless seen
//	valid := codes.CompareAndDelete(user, code)                      // true for one caller
//
// Two calls touch a key or insert it. If another goroutine inserts the key in between, its deadline is new also:
//
//	n, ok := limits.Touch(addr, time.Hour)
//	if !ok {
//		n, _, err = limits.GetOrSet(addr, new(Limit), time.Hour)
//	}
//
// # Every value has one end
//
// A value that Set, Swap or GetOrSet accepted ends once: it expires, and expired is called with it; or Delete or
// CompareAndDelete removes it; or a Set or Swap replaces it; or Drain passes it to its function. Until then Get and All
// find it.
//
// If a call races with the expiry, the faster one wins: expired is not called if a Set, Swap or Touch has moved the
// deadline, or a Delete has removed the key. Otherwise the key is gone when expired begins: Touch and Delete return
// false, Set and Swap insert a new value. To renew a value in expired leaves a moment in which other goroutines miss
// the key; NewRenewing leaves none. Two calls of expired may overlap, even for the same key if it was set again, unless
// the timer's Executor runs one task at a time.
//
// A value never expires early, and is handed to the timer's Executor at most one tick late: see package hashedwheel.
//
// # When the timer is full or stopped
//
// A Set, Swap or GetOrSet that returns hashedwheel.ErrFull or ErrStopped, and a Touch that returns false, have changed
// nothing. A full timer refuses new keys, and keys that are due: their deadline has passed, and their task waits in the
// Executor. It moves all other keys. After a refused Touch, Get still finds the key until the key expires.
//
// hashedwheel.WithMaxPending bounds the pending keys. A due key has given up its place, except in a map of NewRenewing,
// and stays in the map until its task runs. So the map grows without bound if keys become due faster than the Executor
// runs expired. With Inline, or an Executor that blocks while it is behind, the bound holds.
//
// After Timer.Stop a value expires only if the timer had handed it to its Executor before. All other values stay in the
// map, where Get, All and Delete find them, until Drain takes them out. None is missing, even if other goroutines call
// Set while Stop runs:
//
//	tm.Stop()
//	sessions.Drain(func(id string, s *Session) { s.Close() })
//
// To close a map whose timer goes on, set a flag, then Drain; a caller that finds the flag after its Set calls Delete.
//
// # Keys whose bytes change
//
// As in a Go map, a key must not change. A string over a reused buffer, such as fasthttp's, does: then Get and Delete
// no longer find the value, and expired gets the new bytes, on time. Copy such a key for Set, Swap and GetOrSet, by
// strings.Clone. Get, Touch and Delete keep no key.
//
// # What it costs
//
// A new key is one allocation: 72 bytes, the value and the key, on 64-bit machines. With its places in a Go map and in
// the wheel that makes 129 to 141 bytes for two ints, or for a string and a pointer (go test -run TestMemory -v
// ./keyed). Deleting and moving allocate nothing, except to move a key that is due, which costs as much as a new key.
//
// An empty map takes 256 bytes on any number of processors, and a map of ten keys 2.8 KiB, even after many other keys
// (go test -run On64Processors -v ./keyed): one map per tenant is fine. After many keys the map keeps 16 KiB per
// processor.
//
// Set, Get, Touch and Delete hash the key once, and lock one of up to 128 shards per processor. With a million keys
// they take a few hundred nanoseconds, at worst about a microsecond, because memory is slow (go test -run '^$' -bench .
// ./keyed).
//
// # When not to use it
//
// If the timeout belongs to a struct that you have at hand, such as a connection, give the struct a field of type
// hashedwheel.Timeout: no map, no lock, no key. To drop values when memory is short, use a cache: this map keeps every
// value until its end.
package keyed
