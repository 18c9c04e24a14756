package hashedwheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bucketOf returns a bucket to which the timeouts were added one by one.
func bucketOf(all ...*Timeout) *bucket {
	b := new(bucket)
	for _, to := range all {
		b.add(to)
	}
	return b
}

// listed returns what is in b, and panics if that is not well linked.
func listed(b *bucket) (all []*Timeout) {
	b.check(func(to *Timeout) { all = append(all, to) })
	return all
}

func newTimeouts(n int) []*Timeout {
	all := make([]*Timeout, n)
	for i := range all {
		all[i] = new(Timeout)
	}
	return all
}

// numbers returns where in all each of some is, lowest first: what an assertion
// can compare and print.
func numbers(all, some []*Timeout) []int {
	list := []int{}
	for _, to := range some {
		list = append(list, slices.Index(all, to))
	}
	slices.Sort(list)
	return list
}

func TestBucketIsEmptyUntilSomethingIsAdded(t *testing.T) {
	var b bucket
	require.Nil(t, b.head)
	b.add(new(Timeout))
	assert.NotNil(t, b.head)
}

func TestBucketHoldsWhatWasAdded(t *testing.T) {
	all := newTimeouts(3)
	assert.Equal(t, []int{0, 1, 2}, numbers(all, listed(bucketOf(all...))))
}

func TestUnlinkTakesOneTimeoutOut(t *testing.T) {
	for _, row := range []struct {
		says string
		of   int // numbered as they were added, which is from last to first
		out  int
		left []int
	}{
		{"the only one", 1, 0, []int{}},
		{"the first of two", 2, 1, []int{0}},
		{"the last of two", 2, 0, []int{1}},
		{"the first of three", 3, 2, []int{0, 1}},
		{"the middle one of three", 3, 1, []int{0, 2}},
		{"the last of three", 3, 0, []int{1, 2}},
	} {
		t.Run(row.says, func(t *testing.T) {
			all := newTimeouts(row.of)
			b := bucketOf(all...)
			unlink(all[row.out])
			assert.Equal(t, row.left, numbers(all, listed(b)))
		})
	}
}

func TestUnlinkLeavesNoPointerInTheTimeout(t *testing.T) {
	all := newTimeouts(3)
	bucketOf(all...)
	unlink(all[1])
	assert.Nil(t, all[1].next)
	assert.Nil(t, all[1].prev)
}

func TestBucketsAgreeWithSlices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	free, buckets, models := newTimeouts(40), make([]bucket, 3), make([][]*Timeout, 3)
	for range 10_000 {
		i := rnd.IntN(len(buckets))
		b, model := &buckets[i], &models[i]
		switch op := rnd.IntN(20); {
		case op < 10 && len(*model) > 0:
			k := rnd.IntN(len(*model))
			unlink((*model)[k])
			free = append(free, (*model)[k])
			*model = slices.Delete(*model, k, k+1)
		case len(free) > 0:
			to := free[len(free)-1]
			free = free[:len(free)-1]
			b.add(to)
			*model = append([]*Timeout{to}, *model...) // the newest first
		}
		for i := range buckets {
			require.True(t, slices.Equal(models[i], listed(&buckets[i])), "bucket %d", i)
		}
	}
}

func TestCheckOfAListPanicsWhen(t *testing.T) {
	for says, breakIt := range map[string]func(b *bucket, all []*Timeout){
		"the first does not point at the head":   func(_ *bucket, all []*Timeout) { all[2].prev = &all[0].next },
		"one does not point at its predecessor":  func(b *bucket, all []*Timeout) { all[1].prev = &b.head },
		"one has no prev":                        func(_ *bucket, all []*Timeout) { all[0].prev = nil },
		"the last points back into the list":     func(_ *bucket, all []*Timeout) { all[0].next = all[1] },
		"the last points at itself":              func(_ *bucket, all []*Timeout) { all[0].next = all[0] },
		"the head was copied, rather than moved": func(b *bucket, _ []*Timeout) { moved := *b; *b = bucket{}; listed(&moved) },
	} {
		t.Run(says, func(t *testing.T) {
			all := newTimeouts(3)
			b := bucketOf(all...)
			assert.Panics(t, func() { breakIt(b, all); listed(b) })
		})
	}
}
