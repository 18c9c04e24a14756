package docs

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// A Job is a row that is waiting for its time.
type Job struct {
	ID  int64
	Due time.Time
}

// A Store is yours: a table, a sorted set.
type Store interface {
	Waiting(ctx context.Context, before time.Time) ([]Job, error) // overdue ones included
	Claim(ctx context.Context, id int64) (won bool, err error)    // for one caller only
	Execute(ctx context.Context, id int64)
}

func lastMinute(ctx context.Context, tm *hashedwheel.Timer, s Store) {
	const interval = 30 * time.Second
	load := func(*hashedwheel.Series) {
		jobs, err := s.Waiting(ctx, time.Now().Add(2*interval))
		if err != nil {
			return // the next load is in time: the one before looked a minute ahead
		}
		for _, j := range jobs {
			_, refused := tm.Schedule(time.Until(j.Due), hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
				if won, err := s.Claim(ctx, j.ID); err == nil && won {
					s.Execute(ctx, j.ID)
				}
			}))
			if refused != nil {
				return // full or stopped: the other jobs stay in the store
			}
		}
	}
	loads := tm.EveryFrom(tm.Now(), interval, load)
	<-ctx.Done()
	loads.Stop()
}

// A table is a Store in memory.
type table struct {
	mu       sync.Mutex
	waiting  map[int64]time.Time
	executed map[int64]time.Time
	failures int // of the next claims
}

func newTable() *table {
	return &table{waiting: make(map[int64]time.Time), executed: make(map[int64]time.Time)}
}

func (s *table) Waiting(_ context.Context, before time.Time) (jobs []Job, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, due := range s.waiting {
		if due.Before(before) {
			jobs = append(jobs, Job{ID: id, Due: due})
		}
	}
	return jobs, nil
}

func (s *table) Claim(_ context.Context, id int64) (won bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures > 0 {
		s.failures--
		return false, errDown
	}
	_, won = s.waiting[id]
	delete(s.waiting, id)
	return won, nil
}

func (s *table) Execute(_ context.Context, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.executed[id]; again {
		panic("executed twice")
	}
	s.executed[id] = time.Now()
}

// state returns which jobs are waiting for when, and which were executed when.
func (s *table) state() (waiting, executed map[int64]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.waiting), maps.Clone(s.executed)
}

func TestJobsOfAStoreRunOnceAndAtTheirTime(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		now := time.Now()
		delays := map[int64]time.Duration{1: -time.Hour, 2: 45 * time.Second, 3: 5 * time.Minute}
		s := newTable()
		for id, d := range delays {
			s.waiting[id] = now.Add(d)
		}
		for range 2 { // machines
			go lastMinute(ctx, tm, s)
		}
		pass(5 * time.Minute)
		cancel()
		synctest.Wait()

		_, executed := s.state()
		assert.Len(t, executed, len(delays))
		for id, d := range delays {
			deadline := now.Add(max(d, 0))
			assert.WithinRange(t, executed[id], deadline, deadline.Add(2*tick), "job %d", id)
		}
	})
}

func TestAJobWhoseClaimFailedIsArmedByTheNextLoad(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newTable()
		s.waiting[1] = time.Now().Add(time.Second)
		s.failures = 1
		go lastMinute(ctx, tm, s)
		pass(time.Second)
		waiting, _ := s.state()
		require.Contains(t, waiting, int64(1))
		pass(30 * time.Second)
		_, executed := s.state()
		assert.Contains(t, executed, int64(1))
	})
}

func TestAJobThatIsRefusedStaysInTheStore(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newTable()
		s.waiting[1] = time.Now().Add(time.Second)
		tm.AfterFunc(10*time.Second, func() {}) // takes the only place
		go lastMinute(ctx, tm, s)
		pass(time.Minute)
		waiting, _ := s.state()
		assert.Contains(t, waiting, int64(1))
	}, hashedwheel.WithMaxPending(1))
}
