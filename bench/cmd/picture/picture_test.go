package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// measured returns the path of results whose medians are the microseconds of the tick, and for package time 500.
func measured(t *testing.T) string {
	var text strings.Builder
	add := func(size, tick, timer string, value int) {
		for _, round := range []int{value, 1, value + 1} {
			fmt.Fprintf(&text, "BenchmarkTicks/pending=%s/tick=%s/timer=%s-2 1", size, tick, timer)
			fmt.Fprintf(&text, " %d timers-cpu-%% %d late-p50-ms %d late-p99-ms\n", round, round, round)
		}
	}
	for _, size := range sizes {
		add(size.label, "10ms", "hashedwheel", 10_000)
		add(size.label, "100µs", "hashedwheel", 100)
		add(size.label, "10ms", "std", 500)
	}
	path := filepath.Join(t.TempDir(), "ticks.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLinesAreMediansInOrderOfTicks(t *testing.T) {
	r, err := read([]string{measured(t)})
	want := []point{{100 * time.Microsecond, 100}, {10 * time.Millisecond, 10_000}}
	if got := r[series{"10k", "hashedwheel", "late-p99-ms"}]; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
}

func TestPicturesAreSVGWithAllLabels(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, []string{measured(t)}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ticks.svg", "ticks-dark.svg"} {
		picture, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		words := texts(t, picture)
		for _, label := range []string{
			"1,000 pending", "100,000 pending", "hashedwheel, 99%", "package time", "100 µs",
		} {
			if !slices.Contains(words, label) {
				t.Errorf("%s has no %q: %q", name, label, words)
			}
		}
	}
}

// The pictures of the documents are those of the results; the command at the top of main.go draws them.
func TestDocsShowTheResults(t *testing.T) {
	const docs, results = "../../../docs", "../../results/ticks.txt"
	folder := t.TempDir()
	if err := write(folder, []string{results}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ticks.svg", "ticks-dark.svg"} {
		drawn, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := os.ReadFile(filepath.Join(docs, name)); err != nil || !bytes.Equal(shown, drawn) {
			t.Errorf("docs/%s is not the picture of bench/results/ticks.txt: %v", name, err)
		}
	}
}

// texts returns the words of a picture. It fails t if the picture is not XML.
func texts(t *testing.T, picture []byte) (words []string) {
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, string(text))
		}
	}
}

func TestResultsWithoutAFigureAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(t.TempDir(), []string{path}); err == nil || !strings.Contains(err.Error(), "no timers-cpu-%") {
		t.Error(err)
	}
}
