// 8,000 packets a second go through a tunnel and come back.
package main

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"

	"golang.zx2c4.com/wireguard/conn/bindtest"
	"golang.zx2c4.com/wireguard/device"
	"golang.zx2c4.com/wireguard/tun/tuntest"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

var addresses = [2]netip.Addr{netip.MustParseAddr("1.0.0.1"), netip.MustParseAddr("1.0.0.2")}

func main() {
	load.Main(func(r *load.Run) {
		keys := [2]*ecdh.PrivateKey{load.Get(ecdh.X25519().GenerateKey(rand.Reader)), load.Get(ecdh.X25519().GenerateKey(rand.Reader))}
		binds := bindtest.NewChannelBinds()
		var tuns [2]*tuntest.ChannelTUN
		for i := range 2 {
			tuns[i] = tuntest.NewChannelTUN()
			dev := device.NewDevice(tuns[i].TUN(), binds[i], device.NewLogger(device.LogLevelSilent, ""))
			load.Must(dev.IpcSet(fmt.Sprintf("private_key=%s\nlisten_port=0\nreplace_peers=true\npublic_key=%s\nprotocol_version=1\nreplace_allowed_ips=true\nallowed_ip=%s/32\nendpoint=127.0.0.1:%d\n",
				hex.EncodeToString(keys[i].Bytes()), hex.EncodeToString(keys[1-i].PublicKey().Bytes()), addresses[1-i], i+1)))
			load.Must(dev.Up())
		}
		go func() {
			for p := range tuns[1].Inbound {
				tuns[1].Outbound <- packet(1, binary.BigEndian.Uint32(p[len(p)-4:]))
			}
		}()
		back := make([]chan struct{}, r.Scale(100))
		for i := range back {
			back[i] = make(chan struct{}, 1)
		}
		go func() {
			for p := range tuns[0].Inbound {
				back[binary.BigEndian.Uint32(p[len(p)-4:])] <- struct{}{}
			}
		}()
		r.Pace(float64(r.Scale(8_000)), len(back), func(i, _ int) {
			tuns[0].Outbound <- packet(0, uint32(i))
			<-back[i]
		})
	})
}

// packet returns a packet to the other side that ends with a number.
func packet(from int, n uint32) []byte {
	p := tuntest.Ping(addresses[1-from], addresses[from])
	binary.BigEndian.PutUint32(p[len(p)-4:], n)
	return p
}
