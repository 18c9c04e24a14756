package mistakes

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// A failure names the texts of list.go that need to match new code.
func TestEveryEditApplies(t *testing.T) {
	s, err := read(root)
	require.NoError(t, err)
	for _, m := range List {
		for _, wide := range [][]Edit{Wide, Stalled} {
			_, err := s.apply(m.Edits, wide)
			assert.NoError(t, err, m.Name)
		}
	}
}

// goTest runs a test of the edited library.
func goTest(t *testing.T, edits, wide []Edit, args ...string) (out []byte, err error) {
	t.Helper()
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	overlay, err := newOverlay(at, t.TempDir(), edits, wide)
	require.NoError(t, err)
	test := exec.Command("go", append([]string{"test", "-overlay", overlay, "-vet=off"}, args...)...)
	test.Dir = root
	return test.CombinedOutput()
}

// Chaos finds most within a second, and calls that hang after its linger.
func TestSeededMistakesAreFoundByTheirTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mistake")
	}
	for _, m := range List {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel() // many wait
			folder, name, _ := strings.Cut(cmp.Or(m.Test, chaos), " ")
			args := []string{"-tags", "small", "-timeout", "100s", "-run", "^" + name + "$", folder}
			var wide []Edit
			if m.Test == "" {
				wide = Wide
				args = append(args, "-chaos", "60s", "-linger", "5s")
			}
			if m.IsStalled {
				wide = Stalled
				args = append([]string{"-count=10", "-failfast"}, args...) // one in two finds the rarest
			}
			if m.IsRace {
				args = append(args, "-race")
			}
			out, err := goTest(t, m.Edits, wide, args...)
			require.Error(t, err, "%s", out)
			assert.Regexp(t, "--- FAIL: "+name+"|panic: ", string(out))
		})
	}
}

// The mistakes that are found while producers are stalled are not found because of the stalls.
func TestStalledProducersBreakNoPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	folder, name, _ := strings.Cut(duringAPass, " ")
	out, err := goTest(t, nil, Stalled, "-count=5", "-run", name, folder)
	require.NoError(t, err, "%s", out)
}
