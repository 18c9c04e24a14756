package recipes_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// BenchmarkPacketDeadline measures what a read deadline costs for each packet, on a thousand UDP sockets by turns.
func BenchmarkPacketDeadline(b *testing.B) {
	tm := hashedwheel.MustNew()
	flows := make([]*flow, 1000)
	for i := range flows {
		c, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9})
		require.NoError(b, err)
		flows[i], err = newFlow(tm, c)
		require.NoError(b, err)
		defer flows[i].Close()
	}
	b.Run("call=SetReadDeadline", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			flows[i%len(flows)].SetReadDeadline(time.Now().Add(time.Minute))
		}
	})
	b.Run("call=Move", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			flows[i%len(flows)].silent.Move(time.Minute)
		}
	})
}
