// Command wide prints the name of an overlay with which the windows of the library's races are wide: calls of tens of
// nanoseconds overlap in their middle, also on one processor.
//
//	go test -overlay "$(go run ./internal/mistakes/wide)" -tags small ./verify/chaos -chaos 1m
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/hashedwheel/hashedwheel/internal/mistakes"
)

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "wide")
	if err != nil {
		log.Fatal(err)
	}
	overlay, err := mistakes.Overlay(dir, mistakes.Wide...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(overlay)
}
