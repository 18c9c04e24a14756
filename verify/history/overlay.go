package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit replaces a text that its file of the library has exactly once, so that
// edits stay in step with the code.
type edit struct{ file, old, new string }

// build builds this program with the library edited, and nothing changed on disk
// but in dir. It must be called in the module that this program is in.
func build(dir string, edits ...edit) (program string, err error) {
	library, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hashedwheel/hashedwheel")
	if err != nil {
		return "", err
	}
	texts := make(map[string]string)
	for _, e := range edits {
		file := filepath.Join(strings.TrimSpace(library), e.file)
		if texts[file], err = e.apply(file, texts[file]); err != nil {
			return "", err
		}
	}
	overlay, err := writeOverlay(dir, texts)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "history.exe")
	_, err = output("go", "build", "-overlay", overlay, "-o", program, "github.com/hashedwheel/hashedwheel/verify/history")
	return program, err
}

// apply returns the text with the edit made. An empty text is read from the file.
func (e edit) apply(file, text string) (string, error) {
	if text == "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text = string(b)
	}
	if n := strings.Count(text, e.old); n != 1 {
		return "", fmt.Errorf("%s has this text %d times, not once: %q", e.file, n, e.old)
	}
	return strings.Replace(text, e.old, e.new, 1), nil
}

func writeOverlay(dir string, texts map[string]string) (file string, err error) {
	replace := make(map[string]string)
	for from, text := range texts {
		to := filepath.Join(dir, filepath.Base(from))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[from] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, b, 0o600)
}

func output(name string, args ...string) (string, error) {
	var stderr strings.Builder
	c := exec.Command(name, args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", c, err, &stderr)
	}
	return string(out), err
}

// runProgram runs a program that build has built, and returns its exit code.
func runProgram(w io.Writer, program string, args ...string) (exitCode int, err error) {
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = w, w
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
