// 2,000 requests a second over 20 connections of one stream each.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

func main() {
	load.Main(func(r *load.Run) {
		key := load.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
		template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
		cert := load.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
		config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}, NextProtos: []string{"echo"}}
		listener := load.Get(quic.ListenAddr("127.0.0.1:0", config, nil))
		ctx := context.Background()
		go func() {
			for {
				conn := load.Get(listener.Accept(ctx))
				go func() {
					stream := load.Get(conn.AcceptStream(ctx))
					load.Get(io.Copy(stream, stream))
				}()
			}
		}()
		type client struct {
			stream *quic.Stream
			buffer [128]byte
		}
		clients := make([]client, r.Scale(20))
		for i := range clients {
			conn := load.Get(quic.DialAddr(ctx, listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"echo"}}, nil)) // our own server's certificate
			clients[i].stream = load.Get(conn.OpenStreamSync(ctx))
		}
		r.Pace(float64(r.Scale(2_000)), len(clients), func(w, _ int) {
			c := &clients[w]
			load.Get(c.stream.Write(c.buffer[:]))
			load.Get(io.ReadFull(c.stream, c.buffer[:]))
		})
	})
}
