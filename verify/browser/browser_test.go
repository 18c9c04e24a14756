package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long a busy machine may take for a test.
const patience = time.Minute

// browser is shared by all tests; each has its own tab.
var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withBrowser(m.Run))
}

// withBrowser calls f while a browser runs, if there is one.
func withBrowser(f func() int) int {
	path := find()
	if path == "" {
		return f()
	}
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(profile)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), // headless, no first run, nothing in the background
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.NoSandbox, // there is none for root
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(patience),
	)
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancelAllocator()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	return f()
}

// find returns where a browser is that chromedp can drive, or nothing.
func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A tab records console messages and requests of a page.
type tab struct {
	context.Context

	mu       sync.Mutex
	errors   []string // on the console; guarded by mu
	requests []string // URLs; guarded by mu
}

type step = chromedp.Action[chromedp.Void]

// open opens a page in a new tab, after what else is to be done there first.
func open(t *testing.T, url string, before ...step) *tab {
	t.Helper()
	if browser == nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "no chromium: install Debian's package of that name")
		t.Skip("no chromium: install Debian's package of that name to test the page in a browser")
	}
	require.NoError(t, chromedp.Do(browser)) // starts it, the first time
	tab := new(tab)
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(tab.record))
	t.Cleanup(closeTab)
	require.NoError(t, chromedp.Do(ctx))
	var cancel context.CancelFunc
	tab.Context, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	call(t, tab, log.Enable, cdp.Empty{})
	call(t, tab, network.Enable, network.EnableParams{})
	tab.do(t, before...)
	tab.do(t, chromedp.Navigate(url))
	return tab
}

func (tab *tab) record(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tab.errors = append(tab.errors, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		tab.errors = append(tab.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		tab.errors = append(tab.errors, fmt.Sprint("console.", e.Type))
	case *network.EventRequestWillBeSent:
		tab.requests = append(tab.requests, e.Request.URL)
	}
}

func (tab *tab) do(t *testing.T, steps ...step) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab, steps...))
}

// run evaluates a statement in the page.
func (tab *tab) run(t *testing.T, statement string) {
	t.Helper()
	tab.do(t, chromedp.Evaluate[chromedp.Void](statement))
}

// until waits for an expression to be true in the page.
func (tab *tab) until(t *testing.T, expression string) {
	t.Helper()
	for end := time.Now().Add(patience / 2); !value[bool](t, tab, expression); time.Sleep(50 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "not in time: %s", expression)
	}
}

// complaints returns the messages on the console.
func (tab *tab) complaints() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.errors)
}

// asked returns the URLs that the page asked for.
func (tab *tab) asked() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.requests)
}

// value returns the value of an expression in the page.
func value[V any](t *testing.T, tab *tab, expression string) V {
	t.Helper()
	v, err := chromedp.Run(tab, chromedp.Evaluate[V](expression))
	require.NoError(t, err, expression)
	return v
}

// call sends the browser a command.
func call[P, R any](t *testing.T, tab *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	_, err := chromedp.Call(tab, command, params)
	require.NoError(t, err)
}
