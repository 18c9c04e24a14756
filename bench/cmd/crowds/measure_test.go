package main

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBucketsAreThreePercentWide(t *testing.T) {
	for d := time.Duration(0); d < time.Hour; d += 1 + d/7 {
		up := upper(bucketOf(d))
		if up < d || float64(up-d) > float64(d)/32 {
			t.Fatalf("%d is in a bucket up to %d", d, up)
		}
		if next := bucketOf(up + 1); next != bucketOf(d)+1 {
			t.Fatalf("%d: bucket %d, and %d behind it", d, bucketOf(d), next)
		}
	}
	if b := bucketOf(1<<63 - 1); b >= len(histogram{}.counts) {
		t.Errorf("no bucket %d", b)
	}
}

func TestQuantilesOfAKnownDistribution(t *testing.T) {
	var h, half histogram
	for i := 1; i <= 500; i++ {
		h.add(time.Duration(i) * time.Millisecond)
		half.add(time.Duration(500+i) * time.Millisecond)
	}
	h.include(&half)
	for p, want := range map[float64]time.Duration{0.5: 500, 0.99: 990, 1: 1000} {
		want *= time.Millisecond
		if got := h.quantile(p); got < want || got > want+want/32 {
			t.Errorf("p%v: %v, want %v", 100*p, got, want)
		}
	}
	if f := h.figures("late", time.Millisecond, 0.5, 0.9999, 1); f[0].Name != "late p50, ms" || f[1].Name != "late p99.99, ms" || f[2].Name != "late max, ms" {
		t.Errorf("%+v", f)
	}
}

// Of a hundred who ask, one waits for 100 turns: of 200 arrivals, half wait.
func TestAStallCountsForAllWhoWouldHaveAsked(t *testing.T) {
	var h histogram
	for range 99 {
		h.addStall(0, time.Microsecond)
	}
	h.addStall(101*time.Microsecond, time.Microsecond)
	if n, p75 := h.total(), h.quantile(0.75); n != 200 || p75 < 51*time.Microsecond || p75 > 53*time.Microsecond {
		t.Errorf("%d waits, p75 %v", n, p75)
	}
}

func TestAnEarlyOneIsMarked(t *testing.T) {
	var h histogram
	h.add(-time.Microsecond)
	h.add(time.Microsecond)
	if f := h.figures("late", time.Millisecond, 1); f[0].Mark != "(EARLY: 1)" {
		t.Errorf("%+v", f)
	}
}

// A stall of 50 ms hides nine beats: all ten were late, by 50 ms and less.
func TestAHeartbeatCountsWhatAStallHasCovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startHeartbeat(std{}, 5*time.Millisecond)
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		b.own.stop()
		time.Sleep(55 * time.Millisecond)
		b.beat()
		if n, most := b.late.total(), b.late.quantile(1); n != 12 || most != 50*time.Millisecond {
			t.Errorf("%d beats, %v late at most", n, most)
		}
		b.own.stop()
		time.Sleep(30 * time.Millisecond)
		if late := b.end(); late.total() != 18 {
			t.Errorf("%d beats with those that never came", late.total())
		}
	})
}

func TestACellTellsAllRounds(t *testing.T) {
	of := func(v float64) outcome { return outcome{Figures: []figure{{Name: "x", Value: v}}} }
	void := outcome{Figures: []figure{{Name: "x", Mark: "none", Void: true}}}
	for want, rounds := range map[string][]outcome{
		"–":                              {},
		"0.500":                          {of(0.5)},
		"4.57":                           {of(4.567)},
		"12.3":                           {of(12.34)},
		"12,346":                         {of(12345.7)},
		"7":                              {of(7)},
		"2 [1–30.5]":                     {of(30.5), of(1), of(2)},
		"none":                           {void},
		"1 crashed: panic: out of order": {of(1), {Fault: "crashed: panic: out of order"}},
	} {
		if got := cell(rounds, "x"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
