// Command handicap prints the name of an overlay with which the library takes longer to file a timeout, by the given
// time: two processors then have the ratio of producers to filing of a larger machine.
//
//	go test -overlay "$(go run ./internal/overlay/handicap 600ns)" -tags handicap ./verify/promises
package main

import (
	"log"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/overlay"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: handicap 600ns")
	}
	d, err := time.ParseDuration(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	overlay.Print(overlay.Handicap(d)...)
}
