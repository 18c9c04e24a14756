//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// enoughFiles returns an error if the clients need more open files than the limit allows.
func enoughFiles(clients int) error {
	need := uint64(2*clients + 20) // both ends of each connection are in this process
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit := uint64(limit.Cur); limit < need {
		return fmt.Errorf("-clients %d: needs %d open files, and RLIMIT_NOFILE (ulimit -n) allows %d", clients, need, limit)
	}
	return nil
}
