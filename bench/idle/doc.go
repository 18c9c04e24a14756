// Package idle measures what idle timeouts cost a whole echo server with thousands of
// connections, next to the same server without idle timeouts.
//
//	go test -run '^$' -bench Echo -benchtime 200000x -count 5 ./idle
package idle
