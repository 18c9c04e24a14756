package swap

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/google/pprof/profile"
)

// Shares are the parts of a profile's CPU samples inside package time's timers: making,
// resetting and stopping them, keeping their order, starting their functions and filling
// their channels. The functions themselves and garbage collection do not count.
type Shares struct {
	Timers    float64 // all
	Contexts  float64 // of them in package context: not swapped
	Deadlines float64 // of them in deadlines of connections: not swapped
	Total     time.Duration
}

var (
	timerFrame = regexp.MustCompile(`^(time\.(AfterFunc|NewTimer|NewTicker|After|Tick|Sleep|newTimer|stopTimer|resetTimer|sendTime|goFunc|\(\*(Timer|Ticker)\)\..*)` +
		`|runtime\.(\(\*timers?\)\..*|newTimer|stopTimer|resetTimer|timeSleep|resetForSleep|(un)?blockTimerChan))$`)
	contextFrame  = regexp.MustCompile(`^context\.(With(Timeout|Deadline)(Cause)?|\(\*timerCtx\)\..*)$`)
	deadlineFrame = regexp.MustCompile(`^(internal/poll\.(setDeadlineImpl|runtime_pollSetDeadline)|runtime\.netpoll(Read|Write)?Deadline(Impl)?)$`)
)

// ReadShares reads the CPU profiles in a folder, the files that end in .pprof, except
// incomplete ones.
func ReadShares(dir string) (s Shares, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.pprof"))
	if err != nil {
		return s, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return s, err
		}
		if p, err := profile.ParseData(text); err == nil {
			s.add(p)
		}
	}
	if s.Total == 0 {
		return s, fmt.Errorf("no CPU samples in %s", dir)
	}
	for _, share := range []*float64{&s.Timers, &s.Contexts, &s.Deadlines} {
		*share /= float64(s.Total)
	}
	return s, nil
}

// add adds the nanoseconds of p's samples.
func (s *Shares) add(p *profile.Profile) {
	for _, sample := range p.Sample {
		ns := sample.Value[len(sample.Value)-1]
		s.Total += time.Duration(ns)
		var timer, context, deadline bool
		for _, at := range sample.Location {
			for _, line := range at.Line {
				timer = timer || timerFrame.MatchString(line.Function.Name)
				context = context || contextFrame.MatchString(line.Function.Name)
				deadline = deadline || deadlineFrame.MatchString(line.Function.Name)
			}
		}
		if timer || deadline {
			s.Timers += float64(ns)
		}
		switch {
		case deadline:
			s.Deadlines += float64(ns)
		case timer && context:
			s.Contexts += float64(ns)
		}
	}
}
