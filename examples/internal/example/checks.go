package example

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Checks collects the promises that did not hold. The zero value is ready to use.
type Checks struct{ errs []error }

// That adds an error unless ok.
func (c *Checks) That(ok bool, format string, args ...any) {
	if !ok {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
}

// NotEarly adds an error if the least lateness is negative.
func (c *Checks) NotEarly(what string, late []time.Duration) {
	if len(late) > 0 {
		least := slices.Min(late)
		c.That(least >= 0, "%s %v early", what, -least)
	}
}

// Err returns the first five errors and the number of the others, or nil if there are none.
func (c *Checks) Err() error {
	const most = 5
	if more := len(c.errs) - most; more > 0 {
		return errors.Join(append(c.errs[:most:most], fmt.Errorf("and %d more", more))...)
	}
	return errors.Join(c.errs...)
}
