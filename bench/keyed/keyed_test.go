// Package keyed compares package keyed with other maps whose values expire.
package keyed

import (
	"context"
	"testing"
	"time"

	"github.com/jellydator/ttlcache/v3"
	"github.com/zeromicro/go-zero/core/collection"

	"github.com/hashedwheel/hashedwheel/internal/keyload"
)

// BenchmarkTable is package keyed's own benchmark, with more tables. One process should
// measure one table, in turn with the others:
//
//	go test -c -o /tmp/tables ./keyed
//	for impl in keyed go-zero map+AfterFunc ttlcache; do /tmp/tables -test.bench "/impl=$impl\$"; done
func BenchmarkTable(b *testing.B) {
	keyload.Run(b, "keyed", keyload.NewKeyed)
	keyload.Run(b, "go-zero", newGoZero)
	keyload.Run(b, "map+AfterFunc", keyload.NewStd)
	keyload.Run(b, "ttlcache", newTTLCache)
}

// goZero has the tick and size of hashedwheel's default. All calls go to its goroutine by
// channels without a buffer, so nothing is left to flush. It has no way to ask for a value.
type goZero struct{ tw *collection.TimingWheel }

func newGoZero() keyload.Table {
	tw, err := collection.NewTimingWheel(100*time.Millisecond, 512, func(_, _ any) {})
	if err != nil {
		panic(err)
	}
	return goZero{tw}
}

func (t goZero) Set(k string, v *int, d time.Duration) { _ = t.tw.SetTimer(k, v, d) }
func (t goZero) Touch(k string, d time.Duration)       { _ = t.tw.MoveTimer(k, d) }
func (t goZero) Delete(k string)                       { _ = t.tw.RemoveTimer(k) }
func (t goZero) Flush()                                {}
func (t goZero) Close()                                { t.tw.Stop() }

// ttl moves a value's time by as much as it was set to: its Touch takes no other.
type ttl struct{ c *ttlcache.Cache[string, *int] }

func newTTLCache() keyload.Table {
	c := ttlcache.New(ttlcache.WithDisableTouchOnHit[string, *int]())
	c.OnEviction(func(context.Context, ttlcache.EvictionReason, *ttlcache.Item[string, *int]) {})
	go c.Start()
	return ttl{c}
}

func (t ttl) Set(k string, v *int, d time.Duration) { t.c.Set(k, v, d) }
func (t ttl) Touch(k string, _ time.Duration)       { t.c.Touch(k) }
func (t ttl) Delete(k string)                       { t.c.Delete(k) }
func (t ttl) Get(k string) *int                     { return t.c.Get(k).Value() }
func (t ttl) Flush()                                {}
func (t ttl) Close()                                { t.c.Stop() }
