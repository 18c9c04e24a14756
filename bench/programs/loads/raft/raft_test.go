// 200 groups of three servers, in one process, apply 500 commands a second.
package raft_test

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "raft", func(r *load.Run) {
		leaders := make([]*raft.Raft, load.Scale(200))
		var started sync.WaitGroup
		for i := range leaders {
			started.Go(func() { leaders[i] = group(i) }) // an election takes half a second or more
		}
		started.Wait()
		r.Pace(load.Scale(500), len(leaders), func(i, _ int) {
			if err := leaders[i].Apply([]byte("command"), 10*time.Second).Error(); err != nil {
				load.Must(fmt.Errorf("group %d: %w", i, err))
			}
		})
	})
}

// group starts three servers and returns their leader.
func group(n int) *raft.Raft {
	var configuration raft.Configuration
	var transports [3]*raft.InmemTransport
	var servers [3]*raft.Raft
	for i := range transports {
		address, transport := raft.NewInmemTransport(raft.ServerAddress(fmt.Sprintf("%d-%d", n, i)))
		transports[i] = transport
		configuration.Servers = append(configuration.Servers, raft.Server{ID: raft.ServerID(address), Address: address})
	}
	for i, t := range transports {
		for j, other := range transports {
			if i != j {
				t.Connect(other.LocalAddr(), other)
			}
		}
		config := raft.DefaultConfig()
		config.LocalID = raft.ServerID(t.LocalAddr())
		config.Logger = hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off})
		patience := 2 * time.Second
		if i == 0 { // it stands for election first
			patience = 500 * time.Millisecond
		}
		config.HeartbeatTimeout, config.ElectionTimeout, config.LeaderLeaseTimeout = patience, patience, patience
		store := raft.NewInmemStore()
		snapshots := raft.NewInmemSnapshotStore()
		load.Must(raft.BootstrapCluster(config, store, store, snapshots, t, configuration))
		servers[i] = load.Get(raft.NewRaft(config, machine{}, store, store, snapshots, t))
	}
	for ; ; time.Sleep(10 * time.Millisecond) {
		for _, s := range servers {
			if s.State() == raft.Leader && s.VerifyLeader().Error() == nil {
				return s
			}
		}
	}
}

// machine is a state machine that keeps nothing.
type machine struct{}

func (machine) Apply(*raft.Log) any                 { return nil }
func (machine) Snapshot() (raft.FSMSnapshot, error) { return machine{}, nil }
func (machine) Restore(from io.ReadCloser) error    { return from.Close() }
func (machine) Persist(to raft.SnapshotSink) error  { return to.Close() }
func (machine) Release()                            {}
