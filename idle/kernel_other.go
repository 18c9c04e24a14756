//go:build !linux

package idle

import (
	"errors"
	"time"
)

func unsent(uintptr) int { return 0 }

func isPlainTCP(uintptr) bool { return false }

func lastData(uintptr) (received, sent time.Duration, err error) {
	return 0, 0, errors.ErrUnsupported
}
