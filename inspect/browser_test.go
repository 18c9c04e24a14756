package inspect_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/inspect"
)

// reader shows the page in a frame. After a second it scrolls the page and opens its details; after nine seconds it
// reports the state of the page.
const reader = `<iframe src="/page" width="600" height="200"></iframe><p id="seen"></p><script>
const page = document.querySelector("iframe").contentWindow, blocked = []
const details = () => page.document.querySelector("details")
onload = () => page.document.addEventListener("securitypolicyviolation", e => blocked.push(e.violatedDirective))
setTimeout(() => { page.scrollTo(0, 77); details().open = true }, 1000)
setTimeout(() => { document.getElementById("seen").textContent =
  ["at", page.scrollY, details().open, page.document.querySelector("dd").textContent, ...blocked] }, 9000)
</script>`

// In nine seconds a browser loads the page five times. The page keeps its scroll position and shows new figures, and
// its policy blocks none of its own contents.
func TestPageRefreshesInABrowserAndKeepsItsPlace(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("needs a browser, which Debian's package chromium has")
	}
	tm, _ := newTimer(t)
	page := inspect.Handler(timers{"sessions": tm})
	var loads atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, reader) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		loads.Add(1)
		tm.AfterFunc(time.Hour, func() {})
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, r)
		const policy = "Content-Security-Policy"
		framed := strings.Replace(answer.Header().Get(policy), "frame-ancestors 'none'", "frame-ancestors 'self'", 1)
		w.Header().Set(policy, framed)
		_, _ = answer.Body.WriteTo(w)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	var dom, log strings.Builder
	browser := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--virtual-time-budget=9500", "--dump-dom",
		server.URL)
	browser.Stdout, browser.Stderr = &dom, &log
	require.NoError(t, browser.Run(), log.String())
	assert.Contains(t, dom.String(), `<p id="seen">at,77,true,5</p>`)
	assert.EqualValues(t, 5, loads.Load())
	assert.NotContains(t, log.String(), "CONSOLE", "an error, or content that the policy blocks")
}
