package inspect_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func TestFormatFollowsQueryAndAcceptHeader(t *testing.T) {
	const html, json = "text/html; charset=utf-8", "application/json"
	tests := []struct {
		what, target, accept, want string
	}{
		{"no format is requested", "/", "", html},
		{"a browser", "/", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
		{"curl", "/", "*/*", html},
		{"a program", "/", "application/json", json},
		{"JSON with a character set, last and in capitals", "/", "text/plain, Application/JSON; charset=utf-8", json},
		{"JSON in a second header", "/", "text/plain|application/json", json},
		{"another kind of JSON", "/", "application/json-seq", html},
		{"anything but JSON, with spaces and capitals", "/", "*/*, Application/JSON ; Q=0.000", html},
		{"a page is preferred", "/", "application/json;q=0.8, text/html; q=0.9", html},
		{"JSON is preferred", "/", "text/html;q=0.8, application/json;q=0.9", json},
		{"both are accepted", "/", "text/html, application/json", json},
		{"both are accepted, with malformed q", "/", "text/html, application/json;q=x, application/json;q", json},
		{"a malformed header", "/", ";;,=,application/json/;q=1", html},
		{"the query against the header", "/?format=html", "application/json", html},
		{"an empty query", "/debug/timers?format=", "application/json", json},
	}
	h := inspect.Handler(nil)
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			w := get(h, tt.target, strings.Split(tt.accept, "|")...)
			assert.Equal(t, http.StatusOK, w.Code)
			assert.Equal(t, tt.want, w.Header().Get("Content-Type"))
			assert.Equal(t, tt.want == json, strings.HasPrefix(w.Body.String(), "{"))
			assert.Equal(t, "Accept", w.Header().Get("Vary"))
			assertForbidsCachingAndSniffing(t, w)
		})
	}
}

func TestRefusedRequests(t *testing.T) {
	tm, _ := newTimer(t)
	h := inspect.Handler(timers{"sessions": tm})
	for _, tt := range []struct {
		method, target string
		code           int
		allow, message string
	}{
		{"POST", "/", http.StatusMethodNotAllowed, "GET, HEAD", "GET and HEAD only"},
		{"OPTIONS", "/", http.StatusMethodNotAllowed, "GET, HEAD", "GET and HEAD only"},
		{"get", "/", http.StatusMethodNotAllowed, "GET, HEAD", "GET and HEAD only"},
		{"GET", "/?format=xml", http.StatusBadRequest, "", "html and json"},
		{"GET", "/?format=JSON", http.StatusBadRequest, "", "html and json"},
		{"GET", "/?format=<script>", http.StatusBadRequest, "", "html and json"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.target, nil))
		assert.Equal(t, tt.code, w.Code, tt)
		assert.Equal(t, tt.allow, w.Header().Get("Allow"), tt)
		assert.Contains(t, w.Body.String(), tt.message, tt)
		assert.NotRegexp(t, "<|sessions", w.Body.String(), tt)
		assertForbidsCachingAndSniffing(t, w)
	}
}

func assertForbidsCachingAndSniffing(t *testing.T, w *httptest.ResponseRecorder) {
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
}

func TestHeadReturnsTheHeadersOfGet(t *testing.T) {
	h := inspect.Handler(nil)
	for _, target := range []string{"/", "/?format=json"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodHead, target, nil))
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Equal(t, get(h, target).Header(), w.Header())
		assert.Empty(t, w.Body.String())
	}
}

// With this policy a browser uses only the style and script in the page.
func TestPolicyAllowsOnlyTheContentsOfThePage(t *testing.T) {
	w := get(inspect.Handler(nil), "/")
	policy := w.Header().Get("Content-Security-Policy")
	for _, element := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(w.Body.String(), -1)
		require.Len(t, found, 1, element)
		sum := sha256.Sum256([]byte(found[0][1]))
		assert.Contains(t, policy, element+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';")
	}
	assert.NotContains(t, policy, "unsafe")
	assert.NotRegexp(t, `\s(style|on[a-z]+)="`, w.Body.String(), "the policy forbids these attributes")
	assert.NotRegexp(t, `(src|href|action)="(https?:)?//`, w.Body.String(), "the page loads other content")
}

func TestHandlerWithANilTimerPanics(t *testing.T) {
	const want = "inspect: Handler with a nil Timer named calls"
	assert.PanicsWithValue(t, want, func() { inspect.Handler(timers{"calls": nil}) })
}

// A shy task notes how many goroutines ask for its name at a time, and takes its time to answer.
type shy struct {
	session
	asking, most atomic.Int32
}

func (s *shy) TaskName() string {
	s.most.Store(max(s.most.Load(), s.asking.Add(1)))
	time.Sleep(time.Millisecond)
	s.asking.Add(-1)
	return "shy"
}

func TestTimersAreReadForOneRequestAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
		task := new(shy)
		_, err := tm.Schedule(time.Hour, task)
		require.NoError(t, err)
		h := inspect.Handler(timers{"all": tm})
		var viewers sync.WaitGroup
		for i := range 8 {
			viewers.Go(func() {
				w := get(h, []string{"/", "/?format=json"}[i%2])
				assert.Contains(t, w.Body.String(), "shy")
				assert.Equal(t, "inspect.Handler(1 timers)", fmt.Sprint(h)) // for the race detector
			})
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		synctest.Wait() // until one reads and the others wait
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(gone, http.MethodGet, "/", nil))
		assert.Empty(t, w.Body.String(), "the client is gone")
		viewers.Wait()
		assert.EqualValues(t, 1, task.most.Load())
	})
}
