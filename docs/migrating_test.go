package docs

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

var (
	_ stopper = (*time.Timer)(nil)
	_ stopper = (*hashedwheel.Timeout)(nil)
)
