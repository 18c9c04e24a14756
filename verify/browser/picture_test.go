package browser

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

var pictures = flag.String("pictures", "", "`folder` to keep the pictures of examples/inspect in")

// scheme has the page think that its reader prefers light or dark.
func scheme(name string) step {
	return func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return none, err
	}
}

// contrast is the ratio by which WCAG 2 measures whether text can be read: 4.5 is enough for all
// text, 3 for large text.
const contrast = `(selector => {
	const light = color => color.match(/[\d.]+/g).slice(0, 3).map(c => c / 255)
		.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const element = document.querySelector(selector), ground = element.closest(".alarm") ?? document.body;
	const [a, b] = [getComputedStyle(element)[selector.endsWith("text") ? "fill" : "color"], getComputedStyle(ground).backgroundColor].map(light);
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})`

func TestBothColorSchemesCanBeRead(t *testing.T) {
	tm := newTimer(t, 50_000)
	stopped := hashedwheel.MustNew()
	stopped.Stop()
	full := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
	defer full.Stop()
	full.AfterFunc(time.Hour, func() {}) // with file and line
	s := serve(t, map[string]*hashedwheel.Timer{"sessions": tm, "stopped": stopped, "full": full})
	grounds := make(map[string]bool)
	for _, name := range []string{"light", "dark"} {
		arm(full, 1) // refused, since the look before
		tab := open(t, s.URL, scheme(name))
		grounds[value[string](t, tab, "getComputedStyle(document.body).backgroundColor")] = true
		for _, selector := range []string{"h2", "dd", "dt", "h3", "h3 small", "header p", ".quiet dd", ".picture text", "th", "th small", ".count", "summary", ".stopped", ".alarm dd", ".alarm dt"} {
			ratio := value[float64](t, tab, contrast+`("`+selector+`")`)
			assert.GreaterOrEqual(t, ratio, 4.5, "%s in %s", selector, name)
		}
		assert.Empty(t, tab.complaints())
	}
	assert.Len(t, grounds, 2, "both look the same")
}

// TestPictures takes the pictures in the documents, of the example program.
func TestPictures(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	url := startExample(t)
	desktop := chromedp.EmulateViewport(1080, 700)
	phone := chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile)
	for name, how := range map[string][]step{
		"inspect.png":            {desktop, scheme("light")},
		"inspect-dark.png":       {desktop, scheme("dark")},
		"inspect-phone.png":      {phone, scheme("light")},
		"inspect-phone-dark.png": {phone, scheme("dark")},
	} {
		tab := open(t, url, how...)
		tab.until(t, text+`.includes("rates over")`)
		picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100)) // as PNG
		require.NoError(t, err)
		config, err := png.DecodeConfig(bytes.NewReader(picture))
		require.NoError(t, err)
		assert.Greater(t, config.Height, 700, "%s shows less than the page", name)
		assert.Less(t, len(picture), 250_000, "%s is large", name)
		assert.Empty(t, tab.complaints())
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), picture, 0o644))
	}
}

// startExample runs examples/inspect until the test ends, and returns where its page is.
func startExample(t *testing.T) (url string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "inspect")
	build := exec.Command("go", "build", "-o", program, "./examples/inspect")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command(program, "-serve")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.Fields(line)[0]
}
