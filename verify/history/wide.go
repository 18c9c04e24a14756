package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/hashedwheel/hashedwheel/internal/mistakes"
)

// wide is this program with wide windows, and with a mistake or none in the library. Portions
// are tiny, so that a few timeouts are a backlog, and producers help although there is no crowd.
func wide(edits ...mistakes.Edit) mistakes.Program {
	return mistakes.Program{
		Package: "github.com/hashedwheel/hashedwheel/verify/history",
		Edits:   edits,
		Wide:    true,
		Tags:    "small",
	}
}

// runProgram runs a program and returns its exit code.
func runProgram(w io.Writer, program string, args ...string) (exitCode int, err error) {
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = w, w
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// runWide builds this program with wide windows and runs it instead.
func runWide(w io.Writer, args ...string) (exitCode int) {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		fmt.Fprintln(w, err)
		return 2
	}
	defer os.RemoveAll(dir)
	program, err := wide().Build(dir)
	if err == nil {
		exitCode, err = runProgram(w, program, args...)
	}
	if err != nil {
		fmt.Fprintln(w, err)
		return 2
	}
	return exitCode
}
