//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// enoughFiles returns an error if clients would need more open files than may be had.
func enoughFiles(clients int) error {
	need := uint64(2*clients + 20) // both ends of each connection are ours
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if may := uint64(limit.Cur); may < need {
		return fmt.Errorf("-clients %d: needs %d open files, and RLIMIT_NOFILE (ulimit -n) allows %d", clients, need, may)
	}
	return nil
}
