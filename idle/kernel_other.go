//go:build !linux

package idle

import "errors"

func unsent(uintptr) int { return 0 }

func isPlainTCP(uintptr) bool { return false }

func trafficOn(uintptr) (traffic, error) { return traffic{}, errors.ErrUnsupported }
