package promises

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// rare is the task of one timeout in a hundred.
type rare struct{}

func (rare) Run(*hashedwheel.Timeout) {}

// orders are ways to arm n timeouts, one in a hundred of them rare.
var orders = map[string]func(n int, arm func(isRare bool, d time.Duration), advance func(time.Duration)){
	"a burst of common ones, then rare ones": func(n int, arm func(bool, time.Duration), advance func(time.Duration)) {
		for i := range n {
			if i == n-n/100 {
				advance(time.Millisecond)
			}
			arm(i >= n-n/100, time.Hour)
		}
	},
	"a burst of rare ones, then common ones": func(n int, arm func(bool, time.Duration), advance func(time.Duration)) {
		for i := range n {
			if i == n/100 {
				advance(time.Millisecond)
			}
			arm(i < n/100, time.Hour)
		}
	},
	"every hundredth": func(n int, arm func(bool, time.Duration), _ func(time.Duration)) {
		for i := range n {
			arm(i%100 == 0, time.Hour)
		}
	},
	"layers, two of ten with rare ones": func(n int, arm func(bool, time.Duration), advance func(time.Duration)) {
		for layer := range 10 {
			for i := range n / 10 {
				arm(i < n/200 && layer%5 == 2, time.Hour-time.Duration(layer)*time.Minute)
			}
			advance(time.Minute)
		}
	},
	"a steady state, in which rare ones wait longer": func(n int, arm func(bool, time.Duration), advance func(time.Duration)) {
		for i := range 5 * n {
			isRare := i%400 == 0
			d := 100 * time.Second // as long as it takes to arm n more
			if isRare {
				d *= 4
			}
			arm(isRare, d)
			if i%(n/100) == 0 {
				advance(time.Second)
			}
		}
	},
	"rare ones in one slot, common ones all over": func(n int, arm func(bool, time.Duration), _ func(time.Duration)) {
		for i := range n {
			d := time.Duration(i) * time.Second
			if i%100 == 0 {
				d = 1000 * time.Hour
			}
			arm(i%100 == 0, d)
		}
	},
}

// With 16,384 in the sample the share is off by a third once in 100,000 runs. The mean of four samples is off by
// so much in none: that is more than eight standard deviations.
func TestSampleHasTheShareOfAKindWhateverTheOrderOfArming(t *testing.T) {
	const n = 100_000
	for says, order := range orders {
		t.Run(says, func(t *testing.T) {
			clock, tm := timertest.NewManual()
			order(n, func(isRare bool, d time.Duration) {
				task := hashedwheel.Task(timertest.NopTask)
				if isRare {
					task = rare{}
				}
				_, _ = tm.Schedule(d, task)
			}, clock.Advance)
			share := func(all []*hashedwheel.Timeout) float64 {
				found := 0
				for to := range distinct(t, all) {
					if to.Task() == (rare{}) {
						found++
					}
				}
				return float64(found) / float64(len(all))
			}
			want := share(tm.Sample(tm.Pending()))
			assert.InEpsilon(t, 0.01, want, 0.2, "the test arms another share")
			mean := 0.0
			for range 4 {
				mean += share(tm.Sample(16_384)) / 4
			}
			assert.InEpsilon(t, want, mean, 1.0/3)
		})
	}
}

// Each of a few timeouts is in one sample of four.
func TestSampleIsAsLikelyToHaveOneTimeoutAsAnother(t *testing.T) {
	const pending, want, samples = 40, 10, 4000
	for says, place := range places {
		t.Run(says, func(t *testing.T) {
			_, tm := timertest.NewManual()
			times := map[*hashedwheel.Timeout]int{}
			for i := range pending {
				times[tm.AfterFunc(place(i), timertest.Nop)] = 0
			}
			for range samples {
				for _, to := range tm.Sample(want) {
					times[to]++
				}
			}
			for _, n := range times {
				assert.InDelta(t, samples*want/pending, n, 200) // seven standard deviations
			}
		})
	}
}

// A copy over its neighbor makes a list that has no end.
func TestSamplePanicsOnAListThatMisuseHasMadeACircle(t *testing.T) {
	for says, place := range places {
		t.Run(says, func(t *testing.T) {
			_, tm := timertest.NewManual()
			loans := make([]loan, 3)
			for i := range loans {
				loans[i].Init(tm, &loans[i])
				loans[i].Reset(time.Hour)
			}
			tm.Pending() // files them, the newest first: the oldest is the first of its list
			for i := range 10 {
				tm.AfterFunc(place(i), timertest.Nop)
			}
			copy(loans[1:2], loans[:1])
			sampled := make(chan any)
			go func() {
				defer func() { sampled <- recover() }()
				tm.Sample(100)
			}()
			select {
			case recovered := <-sampled:
				assert.Regexp(t, ofALoan, recovered)
			case <-time.After(10 * time.Second):
				panic("no end") // a failure would wait for the timer's Stop
			}
		})
	}
}

// Traffic is armed and stopped in the slot that Sample walks through, and is due in others.
func TestSampleBesideTrafficFindsAllThatStay(t *testing.T) {
	const stay = 5000
	tm := timertest.New()
	defer tm.Stop()
	staying := map[*hashedwheel.Timeout]bool{}
	for range stay {
		staying[tm.AfterFunc(time.Hour, timertest.Nop)] = true
	}
	over, traffic := make(chan struct{}), sync.WaitGroup{}
	for i := range 4 {
		traffic.Go(func() {
			var own [100]*hashedwheel.Timeout
			for n := i; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				if to := &own[n%len(own)]; *to != nil {
					(*to).Stop()
				}
				own[n%len(own)] = tm.AfterFunc(time.Duration(n%2)*time.Hour, timertest.Nop)
			}
		})
	}
	for range 20 {
		missed := len(staying)
		for to := range distinct(t, tm.Sample(math.MaxInt)) {
			if staying[to] {
				missed--
			}
		}
		assert.Zero(t, missed, "missed")
		assert.LessOrEqual(t, len(distinct(t, tm.Sample(100))), 100)
	}
	close(over)
	traffic.Wait()
}
