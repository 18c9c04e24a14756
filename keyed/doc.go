// Package keyed is a map whose values expire: sessions, calls in flight, messages seen
// before. Each value has a time of its own, which Touch moves, and a function of yours
// is called when it has come.
//
//	sessions := keyed.New(tm, func(id string, s *Session) { s.Close() })
//	err := sessions.Set(id, s, 30*time.Minute)
//	ok := sessions.Touch(id, 30*time.Minute)
//	s, ok := sessions.Delete(id)
//
// # Every value has one end
//
// A value that Set took ends once: it expires, and expired is called for it; or Delete
// returns it; or another Set replaces it; or Drain gives it to its function. Until then it is
// in the map, where Get and All find it.
//
// The call that comes first wins. Before the map calls expired it looks once more, under a lock,
// whether the key is still there and its time still past. If a Delete, Set or Touch came before
// that, expired is not called. In expired the key is gone; it may be set again there, as
// anywhere. Two calls of expired may overlap, even for the same key if that was set again, unless
// the timer's Executor runs one task at a time.
//
// A value never expires early, and is handed to the timer's Executor at most one tick
// after its time; what that means exactly is in package hashedwheel.
//
// # When the timer refuses
//
// A Set that returns hashedwheel.ErrFull or ErrStopped, and a Touch that returns false,
// have changed nothing. A full timer refuses new keys, and keys whose time has come, which
// then expire. It moves all others: that takes no room.
//
// Once the timer has been stopped no value expires any more, except what it had handed to its
// Executor by then; and a Set or Touch that is refused before expired is called keeps that
// value too. All others stay in the map, where Get, All and Delete find them, until Drain takes
// them out. Timer.Stop returns their Timeouts; the values come from Drain, and none is
// missing, although other goroutines may call Set meanwhile:
//
//	tm.Stop()
//	sessions.Drain(func(id string, s *Session) { s.Close() })
//
// # What it costs
//
// A new key is one allocation: 72 bytes, the value and the key, on 64-bit machines. With its place
// in a Go map that makes 120 to 155 bytes for two ints, or for a string and a
// pointer (go test -run TestMemory -v). All other calls allocate nothing.
//
// Each call takes the lock of one shard, looks into a Go map and, but for Get, moves or stops one
// Timeout: one to several hundred nanoseconds, which is the time that memory takes when a
// million keys are there (go test -run '^$' -bench .). Goroutines seldom wait for each other: there
// are eight shards a processor. Callers that arm faster than the timer's worker files are made
// to file a part themselves, and then their shard waits for that.
//
// A Go map never gives memory back. That of a shard is made anew when it holds an eighth of
// what it has held.
//
// # When not to use it
//
// If the timeout belongs to a struct of your own that you have at hand, such as a
// connection, embed a hashedwheel.Timeout in it: no map, no lock, no key. If values are
// to be thrown out when memory is short rather than when their time has come, take a
// cache: this map holds what it was given. It does not write to disk.
//
// # Who owns an entry
//
// An entry is reached through its shard's map and through the timer. All that changes in it, and
// every arming of its Timeout, happens under its shard's lock while it is in the map; whoever takes it
// out, under that lock, ends its value and has it alone. One race is left: a call that arms,
// and a run that has begun. The run takes the lock and looks at the Timeout's state. It is Expired if
// nothing has armed it since; else there was a later arming, which brings a run of its own.
//
// No lock is held while expired, the body of an All, the function of Drain or the timer's Clock is
// called. The timer's own lock may be taken under a shard's, never the other way round.
package keyed
