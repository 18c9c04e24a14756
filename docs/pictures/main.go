// Pictures takes the pictures of package inspect's page that README and the documents show, light and dark, in headless
// Chromium: Debian's package chromium has it.
//
//	go run ./docs/pictures
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func main() {
	if err := takePictures(); err != nil {
		log.Fatal(err)
	}
}

func takePictures() error {
	s := newServer()
	done := make(chan struct{})
	defer close(done)
	go s.work(done)
	page := httptest.NewServer(inspect.Handler(map[string]*hashedwheel.Timer{
		"connections": s.connections, "calls": s.calls, "jobs": s.jobs,
	}))
	defer page.Close()
	time.Sleep(3 * time.Second) // there is something to see
	first, err := http.Get(page.URL)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, first.Body)
	first.Body.Close()
	time.Sleep(2 * time.Second) // the second look shows rates
	return errors.Join(err,
		takePicture(page.URL, "1", "docs/inspect.png"),
		takePicture(page.URL, "0", "docs/inspect-dark.png"))
}

// takePicture writes a picture of the page to a file, in the color scheme that its reader prefers: 1 is light, 0 dark.
func takePicture(url, scheme, file string) error {
	profile, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	out, err := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+profile,
		"--hide-scrollbars", "--window-size=1080,2240", "--blink-settings=preferredColorScheme="+scheme,
		"--screenshot="+file, url).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", file, err, out)
	}
	return nil
}
