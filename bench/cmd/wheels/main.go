// Wheels writes the drawings of docs/timing-wheels.md, and prints its tables.
//
//	cd bench && go run ./cmd/wheels
//
// What the library's own wheel made of the example is in docs/wheels/hashedwheel.json.
// In the library's root,
//
//	go test -run TestWheelIsDrawnAsItIs -update .
//
// writes that.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashedwheel/hashedwheel/bench/wheels"
)

func main() {
	docs := flag.String("docs", "../docs", "the `folder` of the documents")
	flag.Parse()
	if err := draw(*docs); err != nil {
		fmt.Fprintln(os.Stderr, "wheels:", err)
		os.Exit(1)
	}
}

func draw(docs string) error {
	all, err := wheels.Drawings(docs)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := os.WriteFile(filepath.Join(docs, "wheels", d.File), []byte(d.SVG()), 0o644); err != nil {
			return err
		}
	}
	compare, err := os.ReadFile("results/compare.md")
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%s", wheels.Table(all), wheels.Measured(string(compare)))
	return nil
}
