// Command wide prints the name of an overlay with which the windows of the library's races are wide: calls of tens of
// nanoseconds overlap in the middle, even on one processor.
//
//	go test -overlay "$(go run ./internal/overlay/wide)" -tags small ./verify/chaos -chaos 1m
package main

import "github.com/hashedwheel/hashedwheel/internal/overlay"

func main() { overlay.Print(overlay.Wide...) }
