package faults

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// punctuality is the greatest lateness of the tasks that report to it.
type punctuality struct {
	mu   sync.Mutex
	ran  int
	late time.Duration
}

// since returns a task that is due at a time.
func (p *punctuality) since(due time.Time) func() {
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ran++
		p.late = max(p.late, time.Since(due))
	}
}

func (p *punctuality) assert(t *testing.T, ran int, late time.Duration) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Equal(t, ran, p.ran, "ran")
	assert.LessOrEqual(t, p.late, late, "late")
}
