package numbers

import "testing"

func TestNumbersAreWrittenForReaders(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1k", 1500: "1500", 160_000: "160k", 10_000_000: "10M"} {
		if got := Short(n); got != want {
			t.Errorf("Short(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{7: "7", 871: "871", 4871: "4,871", 1_000_000: "1,000,000"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
