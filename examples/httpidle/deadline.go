package main

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// errTooSlow is why the context of a request that took too long was canceled.
var errTooSlow = errors.New("request took too long")

// withDeadline cancels the context of a request that takes too long, as context.WithTimeout
// would. The context's Cause is errTooSlow, unless the client has hung up.
func (s *server) withDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		start := time.Now()
		deadline := s.timer.AfterFunc(s.limit, func() {
			s.cutShort(time.Since(start) - s.limit)
			cancel(errTooSlow)
		})
		defer cancel(nil)
		defer deadline.Stop()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
