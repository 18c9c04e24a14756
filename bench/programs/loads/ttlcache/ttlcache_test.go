// A cache of 300,000 sessions is read 100,000 times a second, and each read moves the session's timeout. One operation
// in ten replaces the session. The port uses package keyed.
package ttlcache_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jellydator/ttlcache/v3"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

const ttl = 20 * time.Second

type session struct{ user uint64 }

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "ttlcache", func(r *load.Run) {
		n := uint64(load.Scale(300_000))
		open := plain
		if wheel.Tick > 0 {
			open = ported
		}
		touch, set := open()
		for k := range n {
			set(k)
		}
		r.Pace(load.Scale(100_000), 4, func(_, i int) {
			k := rand.Uint64N(n)
			if i%10 == 0 || !touch(k) {
				set(k)
			}
		})
	})
}

func plain() (touch func(uint64) bool, set func(uint64)) {
	cache := ttlcache.New(ttlcache.WithTTL[uint64, *session](ttl))
	go cache.Start()
	return func(k uint64) bool { return cache.Get(k) != nil },
		func(k uint64) { cache.Set(k, &session{k}, ttlcache.DefaultTTL) }
}

func ported() (touch func(uint64) bool, set func(uint64)) {
	sessions := keyed.New(wheel.New(), func(uint64, *session) {})
	return func(k uint64) bool { _, ok := sessions.Touch(k, ttl); return ok },
		func(k uint64) { load.Must(sessions.Set(k, &session{k}, ttl)) }
}
