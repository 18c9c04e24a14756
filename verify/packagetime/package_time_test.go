package packagetime_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

var ofTime = flag.String("of-time", "", "`flags` of go test for these tests: \"-tags small -run TestChan\"")

func TestPackageTimesTestsPassOnAWheel(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	from := filepath.Join(strings.TrimSpace(string(goroot)), "src", "time")
	overlay := overlayOf(t, filepath.Join(from, "sleep_test.go"), filepath.Join(from, "tick_test.go"))

	args := append([]string{"test", "-v", "-count=1", "-timeout=5m", "-overlay=" + overlay}, ofThisTest()...)
	out, err := exec.Command("go", append(args, "./shim")...).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	if *ofTime == "" {
		ran := regexp.MustCompile(`(?m)^--- PASS`).FindAll(out, -1)
		assert.GreaterOrEqual(t, len(ran), 30, "tests of the time package that passed")
	}
}

// ofThisTest returns the flags under which this test runs itself.
func ofThisTest() []string {
	flags := strings.Fields(*ofTime)
	if timertest.Race {
		flags = append(flags, "-race")
	}
	if testing.Short() || timertest.Race {
		flags = append(flags, "-short")
	}
	return flags
}

// overlayOf edits files, and returns the name of the overlay with which go test treats them as files in shim.
func overlayOf(t *testing.T, names ...string) string {
	t.Helper()
	e, err := readEdit("README.md")
	require.NoError(t, err)
	require.NotEmpty(t, e.left)
	shim, err := filepath.Abs("shim")
	require.NoError(t, err)
	dir, replace := t.TempDir(), map[string]string{}
	for _, name := range names {
		text, err := e.apply(name)
		require.NoError(t, err)
		edited := filepath.Join(dir, filepath.Base(name))
		require.NoError(t, os.WriteFile(edited, text, 0o600))
		replace[filepath.Join(shim, filepath.Base(name))] = edited
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	return overlay
}
