package servers

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

func TestClientsSendOnEveryConnection(t *testing.T) {
	for name, overHTTP := range map[string]bool{"echo": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			s, err := Start(peers.Guard{Listen: func(l net.Listener) net.Listener { return l }}, overHTTP)
			if err != nil {
				t.Fatal(err)
			}
			const conns = atOnce + 36
			c, err := Connect(t.Context(), s, overHTTP, conns)
			if err != nil {
				t.Fatal(err)
			}
			if a, err := c.Once(); err != nil || a.Requests != conns || s.Open.Load() != conns {
				t.Error(a, err, s.Open.Load())
			}
			if a, err := c.Saturate(50 * time.Millisecond); err != nil || a.Requests < conns {
				t.Error(a, err)
			}
			a, err := c.Keep(1000, 100*time.Millisecond)
			if err != nil || a.Requests < 100 || a.Requests > 100+atOnce || a.P50 <= 0 || a.P999 < a.P50 {
				t.Error(a, err)
			}
			c.Close()
			for start := time.Now(); s.Open.Load() > 0; time.Sleep(time.Millisecond) {
				if time.Since(start) > 5*time.Second {
					t.Fatal(s.Open.Load(), "are open")
				}
			}
		})
	}
}

func TestGuardsCloseIdleConnections(t *testing.T) {
	for _, p := range peers.All() {
		if p.Guard == nil || p.Name == peers.Unguarded {
			continue
		}
		for name, overHTTP := range map[string]bool{"echo": false, "http": true} {
			t.Run(p.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s, err := Start(p.Guard(300*time.Millisecond), overHTTP)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now() // before all that counts as use
				conn, err := net.Dial("tcp", s.Addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = conn.Write(append(get[:len(get):len(get)], get...)) // also a message of the echo
				_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
				for buffer := make([]byte, 1024); err == nil; {
					_, err = conn.Read(buffer)
				}
				if lasted := time.Since(start); lasted < 250*time.Millisecond || lasted > 9*time.Second {
					t.Error("closed after", lasted)
				}
			})
		}
	}
}
