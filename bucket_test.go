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

// timeoutsIn returns the timeouts in b, and panics if its list is badly linked.
func timeoutsIn(b *bucket) (all []*Timeout) {
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

// indexes returns the sorted indexes in all of each of some, which an assertion can compare and print.
func indexes(all, some []*Timeout) []int {
	list := []int{}
	for _, to := range some {
		list = append(list, slices.Index(all, to))
	}
	slices.Sort(list)
	return list
}

func TestBucketHoldsAddedTimeouts(t *testing.T) {
	all := newTimeouts(3)
	assert.Equal(t, []int{0, 1, 2}, indexes(all, timeoutsIn(bucketOf(all...))))
}

func TestUnlinkRemovesOneTimeout(t *testing.T) {
	for _, row := range []struct {
		name    string
		n       int // timeouts, numbered as they were added: the list begins with the last
		removed int
		left    []int
	}{
		{"the only one", 1, 0, []int{}},
		{"the first of two", 2, 1, []int{0}},
		{"the last of two", 2, 0, []int{1}},
		{"the first of three", 3, 2, []int{0, 1}},
		{"the middle one of three", 3, 1, []int{0, 2}},
		{"the last of three", 3, 0, []int{1, 2}},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := newTimeouts(row.n)
			b := bucketOf(all...)
			unlink(all[row.removed])
			assert.Equal(t, row.left, indexes(all, timeoutsIn(b)))
		})
	}
}

func TestUnlinkClearsTheTimeoutsLinks(t *testing.T) {
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
			require.True(t, slices.Equal(models[i], timeoutsIn(&buckets[i])), "bucket %d", i)
		}
	}
}

func TestBucketCheckFindsBrokenLinks(t *testing.T) {
	for name, breakIt := range map[string]func(b *bucket, all []*Timeout){
		"the first does not point back at the head":  func(_ *bucket, all []*Timeout) { all[2].prev = &all[0].next },
		"one does not point back at its predecessor": func(b *bucket, all []*Timeout) { all[1].prev = &b.head },
		"one has no prev":                       func(_ *bucket, all []*Timeout) { all[0].prev = nil },
		"next of the last points into the list": func(_ *bucket, all []*Timeout) { all[0].next = all[1] },
		"next of the last points at itself":     func(_ *bucket, all []*Timeout) { all[0].next = all[0] },
		"the head was copied":                   func(b *bucket, _ []*Timeout) { moved := *b; *b = bucket{}; timeoutsIn(&moved) },
	} {
		t.Run(name, func(t *testing.T) {
			all := newTimeouts(3)
			b := bucketOf(all...)
			assert.Panics(t, func() { breakIt(b, all); timeoutsIn(b) })
		})
	}
}
