package gnet

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScheduledRunnableRunsOnItsLoop(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	const delay = 30 * time.Millisecond
	ran, stopped := make(chan time.Duration, 1), make(chan bool, 1)
	onData := func(c gnet.Conn) gnet.Action {
		b, err := c.Next(-1)
		assert.NoError(t, err)
		word, received := bytes.Clone(b), time.Now()
		answer := gnet.RunnableFunc(func(context.Context) error {
			ran <- time.Since(received)
			_, err := c.Write(word) // only the loop may
			return err
		})
		_, err = Schedule(t.Context(), tm, c.EventLoop(), answer, delay)
		assert.NoError(t, err)
		never, err := Schedule(t.Context(), tm, c.EventLoop(), answer, time.Hour)
		assert.NoError(t, err)
		stopped <- never.Stop()
		return gnet.None
	}
	addr := serve(t, &Server{Timer: tm, Idle: 10 * delay, Traffic: onData})
	talk(t, addr, 1, 0)
	assert.GreaterOrEqual(t, <-ran, delay)
	require.True(t, <-stopped)
}
