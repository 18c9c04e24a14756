// Package example is what the examples have in common, and what none of them is about:
// flags, errors, and how late things were.
package example

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// A Program is an example. Run calls its functions in the order in which they stand here.
type Program struct {
	Name  string
	Flags func(*flag.FlagSet)          // declares the flags
	Check func() error                 // names the first flag that is wrong, and its value
	Show  func(stdout io.Writer) error // says whether what the example shows held
	Held  string                       // what is printed then, if anything
}

// Run runs p. It returns the exit status: 0 if all held or help was asked for, 1 if
// something did not hold, 2 if a flag was wrong. stderr is told which.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	p.Flags(flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has told stderr
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
