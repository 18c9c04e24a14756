// Picture draws which tick costs what in CPU time and lateness, from results of BenchmarkTicks: ticks.svg for light
// pages, and ticks-dark.svg.
//
//	./run ticks -bench Ticks && go run ./cmd/picture -out ../docs results/ticks.txt
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", ".", "`folder` for the pictures")
	flag.Parse()
	if err := write(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// write draws the results of some files into a folder.
func write(folder string, paths []string) error {
	r, err := read(paths)
	if err != nil {
		return err
	}
	for name, c := range map[string]colors{"ticks.svg": light, "ticks-dark.svg": dark} {
		picture, err := c.svg(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}
