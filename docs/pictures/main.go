// Pictures takes the pictures of package inspect's page that README shows, light and dark, in headless Chromium:
// Debian's package chromium has it.
//
//	go run ./docs/pictures
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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
	folder, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	page := filepath.Join(folder, "page.html") // made before Chromium takes the processors
	if err := os.WriteFile(page, load(), 0o644); err != nil {
		return err
	}
	return errors.Join(takePicture(page, "1", "docs/inspect.png"), takePicture(page, "0", "docs/inspect-dark.png"))
}

// load returns the page of a server that has worked for five seconds.
func load() []byte {
	s := newServer()
	done := make(chan struct{})
	defer close(done)
	go s.work(done)
	page := inspect.Handler(map[string]*hashedwheel.Timer{"server": s.tm})
	var loaded *httptest.ResponseRecorder
	for _, after := range []time.Duration{3 * time.Second, 2 * time.Second} { // the second load shows rates
		time.Sleep(after)
		loaded = httptest.NewRecorder()
		page.ServeHTTP(loaded, httptest.NewRequest(http.MethodGet, "/", nil))
	}
	return loaded.Body.Bytes()
}

// takePicture writes a picture of the page to a file, in the color scheme that its reader prefers: 1 is light, 0 dark.
func takePicture(page, scheme, file string) error {
	out, err := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(filepath.Dir(page), scheme), "--hide-scrollbars", "--window-size=1080,800",
		"--blink-settings=preferredColorScheme="+scheme, "--screenshot="+file, "file://"+page).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", file, err, out)
	}
	return nil
}
