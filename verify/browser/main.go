// Browser takes the pictures of package inspect's page that README shows, light and dark, in headless Chromium.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func main() {
	folder := filepath.Join("..", "..", "docs")
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := takePictures(folder); err != nil {
		log.Fatal(err)
	}
}

func takePictures(folder string) error {
	s := newServer()
	done := make(chan struct{})
	defer close(done)
	go s.work(done)
	time.Sleep(5 * time.Second) // there is something to see
	page := httptest.NewServer(inspect.Handler(map[string]*hashedwheel.Timer{
		"connections": s.connections, "calls": s.calls, "jobs": s.jobs,
	}))
	defer page.Close()

	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserDataDir(profile),
		chromedp.NoSandbox, // there is none for root
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(time.Minute))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	return errors.Join(
		takePicture(ctx, page.URL, "light", filepath.Join(folder, "inspect.png")),
		takePicture(ctx, page.URL, "dark", filepath.Join(folder, "inspect-dark.png")))
}

// takePicture writes a picture of the whole page to a file, as its reader sees it who prefers the color scheme.
func takePicture(ctx context.Context, url, scheme, file string) error {
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	prefer := func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return none, err
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1080, 700), prefer, chromedp.Navigate(url)); err != nil {
		return err
	}
	const hasRates = `document.querySelector("main").innerText.includes("rates over")` // it has looked twice
	for shown := false; !shown; time.Sleep(100 * time.Millisecond) {
		var err error
		if shown, err = chromedp.Run(tab, chromedp.Evaluate[bool](hasRates)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100)) // as PNG
	if err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o644)
}
