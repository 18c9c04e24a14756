// Package keyed is a map whose values expire: sessions, calls in flight, messages seen
// before. Each value has a time of its own, and a function of yours is called when it has
// come.
//
//	sessions := keyed.New(tm, func(id string, s *Session) { s.Close() })
//	err := sessions.Set(id, s, 30*time.Minute) // new, or replaces value and time
//	ok := sessions.Touch(id, 30*time.Minute)   // 30 minutes from now
//	s, ok := sessions.Get(id)                  // does not move the time
//	s, ok = sessions.Delete(id)                // its function is not called
//
// For values that expire some time after their last use, Touch at each use, and Get only if
// that returned true.
//
// # Every value has one end
//
// A value that Set took ends once: it expires, and expired is called for it; or Delete
// returns it; or another Set replaces it; or Drain gives it to its function. Until then
// Get and All find it.
//
// When a call meets the expiry, whichever comes first wins. Just before expired is called
// the map looks once more, under a lock: if a Set or Touch has moved the time, or a Delete
// has taken the key, expired is not called. Later the key is gone: Touch and Delete
// return false, and Set makes a new one, in expired too. Two calls of expired may
// overlap, even for the same key if that was set again, unless the timer's Executor runs
// one task at a time.
//
// A value never expires early, and is handed to the timer's Executor at most one tick
// after its time; what that means exactly is in package hashedwheel.
//
// # When the timer is full or stopped
//
// A Set that returns hashedwheel.ErrFull or ErrStopped, and a Touch that returns false,
// have changed nothing. A full timer refuses new keys, and keys whose time has come, which
// then expire. It moves all others: that takes no room.
//
// Once the timer has been stopped, a value expires only if the timer had handed it to its
// Executor by then, and no Set or Touch was refused since. All others stay in the map,
// where Get, All and Delete find them, until Drain takes them out. Timer.Stop returns
// their Timeouts; the values come from Drain, and none is missing, although other
// goroutines may call Set meanwhile:
//
//	tm.Stop()
//	sessions.Drain(func(id string, s *Session) { s.Close() })
//
// # What it costs
//
// A new key is one allocation: 72 bytes, the value and the key, on 64-bit machines. With
// its place in a Go map that makes 115 to 135 bytes for two ints, or for a string and a
// pointer (go test -run TestMemory -v ./keyed). Moving and deleting allocate nothing.
//
// Set, Get, Touch and Delete hash the key once, take the lock of one shard and look into a
// Go map of such hashes; all but Get move or stop one Timeout. With a million keys that
// takes some hundred nanoseconds, at worst about a microsecond, because memory is slow
// (go test -run '^$' -bench . ./keyed). There are 128 shards a processor, 16 KiB even when
// they are empty, so goroutines seldom wait for each other, unless they arm faster than the
// timer's worker files: then they file a part themselves, with their shard locked.
//
// A Go map never gives memory back, so a shard that holds an eighth of what it has held
// gets a new one.
//
// # When not to use it
//
// If the timeout belongs to a struct of your own that you have at hand, such as a
// connection, embed a hashedwheel.Timeout in it: no map, no lock, no key. If values are
// to be thrown out when memory is short rather than when their time has come, take a
// cache: this map holds what it was given. It does not write to disk.
package keyed
