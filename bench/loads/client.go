package loads

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var client = Load{
	Name: "client",
	What: "A client with very many calls in flight on one TCP connection. For each call a goroutine waits for the answer, at most 30 s, " +
		"and calls again. Calls a second, CPU of both ends and how much the heap grows.",
	Cases: func(c Config) []Case {
		return []Case{{Name: numbers.Short(c.Count(10_000)) + " calls in flight", Tick: armTick, Await: true, Run: callAll}}
	},
}

// mux is a connection that many calls share: an answer is the number of its call.
type mux struct {
	out     chan uint32
	answers []chan struct{}
}

// frame is the size of a request and of an answer.
const frame = 4

func callAll(p peers.Peer, c Config) ([]Figure, error) {
	flying := c.Count(10_000)
	m, err := dial(flying)
	if err != nil {
		return nil, err
	}
	newAwait := p.Await(armTick)
	var calls, expired atomic.Int64
	var stop atomic.Bool
	var done sync.WaitGroup
	runtime.GC()
	peak, cpu, start := watchHeap(0), machine.CPUTime(), time.Now()
	for i := range flying {
		done.Go(func() {
			await := newAwait()
			for !stop.Load() {
				m.out <- uint32(i)
				if !await(m.answers[i], deadline) {
					expired.Add(1)
					return
				}
				calls.Add(1)
			}
		})
	}
	time.Sleep(c.Time(3 * time.Second))
	stop.Store(true)
	done.Wait()
	wall, cpu := time.Since(start), machine.CPUTime()-cpu
	if n := expired.Load(); n > 0 {
		return nil, Fault(numbers.Grouped(int(n)) + " calls expired")
	}
	n := float64(calls.Load())
	return []Figure{
		{Name: "calls", Unit: PerSecond, Value: n / wall.Seconds()},
		cpuFigure("CPU", Each, float64(cpu)/n),
		{Name: "peak heap", Unit: MiB, Value: peak.end()},
	}, nil
}

func dial(calls int) (*mux, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go echoAll(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	m := &mux{out: make(chan uint32, calls), answers: make([]chan struct{}, calls)}
	for i := range m.answers {
		m.answers[i] = make(chan struct{}, 1)
	}
	go m.write(conn)
	go m.read(conn)
	return m, nil
}

func echoAll(l net.Listener) {
	if conn, err := l.Accept(); err == nil {
		_, _ = io.CopyBuffer(struct{ io.Writer }{conn}, struct{ io.Reader }{conn}, make([]byte, 64<<10))
	}
}

// write sends the requests, as many as there are in one packet.
func (m *mux) write(conn net.Conn) {
	out := bufio.NewWriterSize(conn, 64<<10)
	for call := range m.out {
		var number [frame]byte
		binary.LittleEndian.PutUint32(number[:], call)
		_, _ = out.Write(number[:])
		if len(m.out) == 0 {
			_ = out.Flush()
		}
	}
}

func (m *mux) read(conn net.Conn) {
	in := bufio.NewReaderSize(conn, 64<<10)
	for number := make([]byte, frame); ; {
		if _, err := io.ReadFull(in, number); err != nil {
			return
		}
		m.answers[binary.LittleEndian.Uint32(number)] <- struct{}{}
	}
}
