module github.com/emiago/sipgo v1.7.2
# The control: all timers of transactions are the wheel's, and there are few.
file sip/transaction_server_tx.go
6a\
\
	"github.com/hashedwheel/hashedwheel"\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
7a\
\
var onWheel = wheel.New()
14s/time.Timer/hashedwheel.Timeout/
16,17s/time.Timer/hashedwheel.Timeout/
19s/time.Timer/hashedwheel.Timeout/
21,22s/time.Timer/hashedwheel.Timeout/
55s/time.AfterFunc/onWheel.AfterFunc/
file sip/transaction_client_tx.go
6a\
\
	"github.com/hashedwheel/hashedwheel"
13,14s/time.Timer/hashedwheel.Timeout/
16,17s/time.Timer/hashedwheel.Timeout/
59s/time.AfterFunc/onWheel.AfterFunc/
69s/time.AfterFunc/onWheel.AfterFunc/
file sip/transaction_server_tx_fsm.go
3,5d
188s/time.AfterFunc/onWheel.AfterFunc/
204s/time.AfterFunc/onWheel.AfterFunc/
219s/time.AfterFunc/onWheel.AfterFunc/
243s/time.AfterFunc/onWheel.AfterFunc/
286s/time.AfterFunc/onWheel.AfterFunc/
file sip/transaction_client_tx_fsm.go
290s/time.AfterFunc/onWheel.AfterFunc/
318s/time.AfterFunc/onWheel.AfterFunc/
417s/time.AfterFunc/onWheel.AfterFunc/
