package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

type session struct{}

func (*session) Run(*hashedwheel.Timeout) {}
func (*session) expire()                  {}

// newTimer returns a timer with so many sessions, due in seconds to months.
func newTimer(t *testing.T, sessions int) *hashedwheel.Timer {
	tm := hashedwheel.MustNew()
	t.Cleanup(func() { tm.Stop() })
	arm(tm, sessions)
	return tm
}

func arm(tm *hashedwheel.Timer, sessions int) {
	for i := range sessions {
		tm.AfterFunc(time.Hour+time.Duration(i)*time.Hour, new(session).expire)
	}
}

// serve serves the page over timers.
func serve(t *testing.T, timers map[string]*hashedwheel.Timer) *httptest.Server {
	s := httptest.NewServer(inspect.Handler(timers))
	t.Cleanup(s.Close)
	return s
}

const text = `document.querySelector("main").innerText`

func TestThePageShowsItsTimersAndNothingElse(t *testing.T) {
	s := serve(t, map[string]*hashedwheel.Timer{"sessions": newTimer(t, 7), "calls": newTimer(t, 0)})
	tab := open(t, s.URL)
	shown := value[string](t, tab, text)
	assert.Contains(t, shown, "sessions")
	assert.Contains(t, shown, "browser.(*session).expire")
	assert.Contains(t, shown, "Nothing is pending.")
	bars := value[int](t, tab, `[...document.querySelectorAll(".picture .bar")].filter(b => b.getBoundingClientRect().height > 1).length`)
	assert.Greater(t, bars, 1, "the picture has no bars")
	assert.Equal(t, "rgb(58, 125, 156)", value[string](t, tab, `getComputedStyle(document.querySelector(".picture .bar")).fill`), "the style was not applied")
	tab.until(t, `performance.getEntriesByType("resource").length > 1`) // it has looked again, twice
	assert.Empty(t, tab.complaints())
	for _, url := range tab.asked() {
		assert.True(t, url == s.URL+"/" || strings.HasPrefix(url, "data:"), url)
	}
}

func TestCountsMoveAndTheReaderKeepsTheirPlace(t *testing.T) {
	tm := newTimer(t, 12)
	timers := map[string]*hashedwheel.Timer{"last": tm}
	for i := range 6 {
		timers[fmt.Sprint("first ", i)] = newTimer(t, 5)
	}
	tab := open(t, serve(t, timers).URL, chromedp.EmulateViewport(800, 600))
	tab.run(t, `document.querySelector("section:last-of-type summary").click(); scrollTo(0, 1000)`)
	tab.run(t, `document.querySelector("section:last-of-type summary").focus({preventScroll: true})`)
	at := value[float64](t, tab, "scrollY")
	require.Equal(t, 1000.0, at)

	const pending = `document.querySelector("section:last-of-type dd").innerText`
	require.Equal(t, "12", value[string](t, tab, pending))
	arm(tm, 1222)
	tab.until(t, pending+` === "1,234"`)
	assert.Equal(t, at, value[float64](t, tab, "scrollY"), "the page jumped")
	assert.True(t, value[bool](t, tab, `document.querySelector("section:last-of-type details").open`), "what was open closed")
	assert.Equal(t, "SUMMARY", value[string](t, tab, "document.activeElement.tagName"), "the focus is lost")
	assert.Empty(t, tab.complaints())
}

func TestReloadsKeepASelection(t *testing.T) {
	tm := newTimer(t, 1)
	tab := open(t, serve(t, map[string]*hashedwheel.Timer{"sessions": tm}).URL)
	tab.run(t, `getSelection().selectAllChildren(document.querySelector("h2"))`)
	arm(tm, 1)
	time.Sleep(3 * time.Second) // more than the two seconds between looks
	assert.Equal(t, "sessions", value[string](t, tab, "getSelection().toString()"))
	tab.run(t, `getSelection().removeAllRanges()`)
	tab.until(t, `document.querySelector("dd").innerText === "2"`)
}

func TestMarkupInNamesDoesNoHarm(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	_, err := tm.Schedule(time.Hour, &struct {
		hashedwheel.Task `name:"<img src=x onerror=hurt=1>"`
	}{new(session)})
	require.NoError(t, err)
	names := []string{`<script>hurt=3</script>`, `"><img src=x onerror=hurt=4>`, `</main></body>{{.}}`, `<!--`, `'`, "\x00\xff", ""}
	timers := make(map[string]*hashedwheel.Timer)
	for _, name := range names {
		timers[name] = tm
	}
	tab := open(t, serve(t, timers).URL)
	tab.until(t, `performance.getEntriesByType("resource").length > 1`)
	shown := value[string](t, tab, text)
	for _, name := range names[:5] {
		assert.Contains(t, shown, name)
	}
	assert.Contains(t, shown, "onerror=hurt=1")
	assert.Equal(t, len(names), value[int](t, tab, `document.querySelectorAll("main > section").length`))
	assert.Zero(t, value[int](t, tab, `document.querySelectorAll("img").length`))
	assert.True(t, value[bool](t, tab, `typeof hurt === "undefined"`))
	assert.Empty(t, tab.complaints())
}

func TestAPhoneNeedsNoScrollingSideways(t *testing.T) {
	tm := newTimer(t, 50_000)
	tm.AfterFunc(time.Hour, aFunctionWithANameThatIsMuchLongerThanAnyoneWouldLikeToReadOnAPhoneOrAnywhereElse)
	timers := map[string]*hashedwheel.Timer{"calls": tm, strings.Repeat("verylong", 20): tm}
	for _, width := range []int64{320, 390, 700, 960, 1200} {
		tab := open(t, serve(t, timers).URL, chromedp.EmulateViewport(width, 800, chromedp.EmulateMobile))
		assert.Equal(t, int(width), value[int](t, tab, "document.documentElement.scrollWidth"))
		outside := fmt.Sprintf(`[...document.querySelectorAll("dd, td, th, h2, text")].filter(e => e.getBoundingClientRect().right > %d).map(e => e.textContent)`, width)
		assert.Empty(t, value[[]string](t, tab, outside), "%d wide", width)
	}
}

func aFunctionWithANameThatIsMuchLongerThanAnyoneWouldLikeToReadOnAPhoneOrAnywhereElse() {}

func TestWithoutJavaScriptTheBrowserReloadsThePage(t *testing.T) {
	tm := newTimer(t, 3)
	var loads atomic.Int32
	page := inspect.Handler(map[string]*hashedwheel.Timer{"sessions": tm})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		loads.Add(1)
		page.ServeHTTP(w, r)
	}))
	defer s.Close()
	tab := open(t, s.URL, withoutScripts)
	html, err := chromedp.Run(tab, chromedp.OuterHTML(chromedp.CSS("main")))
	require.NoError(t, err)
	assert.Contains(t, html, "browser.(*session).expire")
	require.Eventually(t, func() bool { return loads.Load() > 1 }, patience/2, 50*time.Millisecond)
	assert.Empty(t, tab.complaints())
}

func TestPageReportsThatTheServerIsGone(t *testing.T) {
	s := serve(t, map[string]*hashedwheel.Timer{"sessions": newTimer(t, 3)})
	tab := open(t, s.URL)
	assert.NotContains(t, value[string](t, tab, text), "does not answer")
	s.Close()
	tab.until(t, text+`.includes("does not answer")`)
	assert.Contains(t, value[string](t, tab, text), "browser.(*session).expire", "what was known is lost")
}

// A page over many millions is expensive: the reader's browser must not ask for it all the time.
func TestSlowPageIsReloadedLessOften(t *testing.T) {
	const takes = 500 * time.Millisecond
	page := inspect.Handler(map[string]*hashedwheel.Timer{"sessions": newTimer(t, 3)})
	asked := make(chan time.Time, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(takes)
		asked <- time.Now() // but when it was answered
		page.ServeHTTP(w, r)
	}))
	defer s.Close()
	open(t, s.URL)
	<-asked // by the browser
	first, second := <-asked, <-asked
	assert.GreaterOrEqual(t, second.Sub(first), 10*takes)
}

func TestPictureOfLatenessIsLowerThanPictureOfDueTimes(t *testing.T) {
	tm := newTimer(t, 3)
	done := make(chan struct{})
	tm.AfterFunc(0, func() { close(done) })
	<-done
	require.Eventually(t, func() bool { return tm.Stats().LagCounts != [20]uint64{} }, patience/2, time.Millisecond)
	tab := open(t, serve(t, map[string]*hashedwheel.Timer{"sessions": tm}).URL)
	heights := value[[]float64](t, tab, `[...document.querySelectorAll(".picture")].map(p => p.getBoundingClientRect().height)`)
	assert.Equal(t, []float64{158, 110}, heights)
	tab.run(t, `document.querySelector("#lateness-0 summary").click()`)
	tab.until(t, `performance.getEntriesByType("resource").length > 1`)
	assert.True(t, value[bool](t, tab, `document.querySelector("#lateness-0").open`), "what was open closed")
	assert.Empty(t, tab.complaints())
}

func withoutScripts(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
	_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return none, err
}

// TestTheConsoleIsHeard is the test of the tests: a page that breaks its own policy.
func TestTheConsoleIsHeard(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = w.Write([]byte(`<!DOCTYPE html><p style="color: red">forbidden</p>`))
	}))
	defer s.Close()
	tab := open(t, s.URL)
	require.Eventually(t, func() bool { return len(tab.complaints()) > 0 }, patience/2, 50*time.Millisecond)
	assert.Contains(t, strings.Join(tab.complaints(), "\n"), "Content Security Policy")
}
