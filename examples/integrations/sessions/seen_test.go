package sessions

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// deduplicator returns watermill's with a Seen of a minute.
func deduplicator(tm *hashedwheel.Timer) *middleware.Deduplicator {
	return &middleware.Deduplicator{Repository: NewSeen(tm, time.Minute), Timeout: time.Second}
}

// The tests tell watermill's tests of its deduplicator.

func TestMiddlewareDropsMessagesSeenWithinTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		var handled []string
		handle := deduplicator(tm).Middleware(func(m *message.Message) ([]*message.Message, error) {
			handled = append(handled, m.UUID+" "+string(m.Payload))
			return nil, nil
		})
		receive := func(uuid string, payloads ...string) {
			for _, payload := range payloads {
				_, err := handle(message.NewMessage(uuid, []byte(payload)))
				require.NoError(t, err)
			}
		}
		receive("1", "a", "b", "a", "a", "b")
		time.Sleep(time.Minute - 1)
		receive("2", "a", "b") // that moves no window
		time.Sleep(2 * time.Millisecond)
		receive("3", "a", "c", "a")
		require.Equal(t, []string{"1 a", "1 b", "3 a", "3 c"}, handled)
		time.Sleep(time.Hour)
		require.Zero(t, tm.Pending())
	})
}

// A record of what was published.
type record []string

func (r *record) Publish(_ string, messages ...*message.Message) error {
	for _, m := range messages {
		*r = append(*r, string(m.Payload))
	}
	return nil
}

func (r *record) Close() error { return nil }

func TestDecoratedPublisherDropsMessagesSeenBefore(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	var published record
	publisher, err := deduplicator(tm).PublisherDecorator()(&published)
	require.NoError(t, err)
	for _, payload := range []string{"a", "a", "b", "a", "c", "b"} {
		require.NoError(t, publisher.Publish("topic", message.NewMessage("", []byte(payload))))
	}
	require.Equal(t, record{"a", "b", "c"}, published)
}

func TestMessageFailsIfTheTimerIsStopped(t *testing.T) {
	tm := hashedwheel.MustNew()
	tm.Stop()
	handle := deduplicator(tm).Middleware(func(*message.Message) ([]*message.Message, error) {
		t.Error("handled")
		return nil, nil
	})
	_, err := handle(message.NewMessage("", nil))
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}
