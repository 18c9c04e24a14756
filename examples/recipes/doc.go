// Package recipes contains one Example in each file, to copy from. The table of loads in docs/choosing.md links to
// them. Each file first has the code to copy, then an Example that uses it, with its output.
//
//   - alarms_test.go: alarms from Stats, with their causes
//   - answer_test.go: a request to resend until it is answered
//   - context_test.go: a timeout that ends with a context
//   - lease_test.go: a lease that is extended while a handler works
//   - library_test.go: a library for others, which takes its timers from the program
//   - limiter_test.go: a limiter for each key
//   - loop_test.go: an event loop that drives a Timer
//   - operation_test.go: one operation that waits under several keys
//   - own_channel_test.go: a Timeout that sends to your own channel
//   - pacer_test.go: messages sent at least a gap apart; an idle peer costs nothing
//   - packet_deadline_test.go: a read deadline that each packet moves
//   - peer_test.go: a server that pings its peers
//   - retry_test.go: retries with back-off
//   - stale_run_test.go: a run that may be stale
//   - with_timeout_test.go: context.WithTimeout on a wheel
package recipes
