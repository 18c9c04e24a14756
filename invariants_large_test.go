package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A wheel of a million buckets is as large as 16,384 timeouts: one call in eight
// checks it.
func TestALargeWheelIsCheckedInProportion(t *testing.T) {
	d := newDriver(1 << 20)
	d.count++
	found := 0
	for range 1000 {
		found += checkFinds(d)
	}
	assert.Greater(t, found, 60)
	assert.Less(t, found, 250)
}

func TestASmallWheelIsAlwaysChecked(t *testing.T) {
	d := newDriver(1 << 16)
	d.count++
	for range 100 {
		assert.Equal(t, 1, checkFinds(d))
	}
}

// checkFinds returns 1 if check panics, else 0.
func checkFinds(d *driver) (found int) {
	defer func() {
		if recover() != nil {
			found = 1
		}
	}()
	d.check(&d.due, false)
	return 0
}
