package faults

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// punctuality records how early and how late, at most, the tasks that report to it were.
type punctuality struct {
	mu          sync.Mutex
	ran         int
	early, late time.Duration
}

// since returns a task that is due at a time.
func (p *punctuality) since(due time.Time) func() {
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ran++
		p.early = max(p.early, time.Until(due))
		p.late = max(p.late, time.Since(due))
	}
}

func (p *punctuality) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ran
}

func (p *punctuality) assert(t *testing.T, ran int, late time.Duration) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Equal(t, ran, p.ran, "ran")
	assert.Zero(t, p.early, "early")
	assert.LessOrEqual(t, p.late, late, "late")
}
