// Package example holds the parts that all examples share and none is about: flags, waiting,
// checks, an HTTP server and lateness.
package example

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// A Program is an example. Run calls its functions in this order.
type Program struct {
	Name  string
	Flags func(*flag.FlagSet)          // declares the flags
	Check func() error                 // names the first wrong flag, and its value
	Show  func(stdout io.Writer) error // returns an error if a promise did not hold
	Held  string                       // printed if all promises held, unless it is empty
}

// Run runs p and returns the exit status: 0 if all promises held or help was requested, 1 if
// one did not hold, 2 if a flag was wrong. The reason is written to stderr.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	p.Flags(flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has written err to stderr
	}
	err := p.Check()
	if flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return 2
	}
	if err := p.Show(stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return 1
	}
	if p.Held != "" {
		fmt.Fprintln(stdout, "\nok:", p.Held)
	}
	return 0
}
