package mistakes

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the folder of the library.
func root(t *testing.T) string {
	t.Helper()
	at, err := filepath.Abs("../..")
	require.NoError(t, err)
	return at
}

// A failure names the text of list.go that needs to match new code.
func TestEveryEditApplies(t *testing.T) {
	for _, e := range slices.Concat(Wide, Handicap(1)) {
		_, err := newOverlay(root(t), t.TempDir(), []Edit{e}, nil)
		assert.NoError(t, err)
	}
	for _, m := range List {
		_, err := newOverlay(root(t), t.TempDir(), []Edit{m.Edit}, Wide)
		assert.NoError(t, err, m.Name)
	}
}

func TestSeededMistakesAreFoundByTheirTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mistake")
	}
	for _, m := range List {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel() // many wait
			folder, name, _ := strings.Cut(m.Test, " ")
			args := []string{"-run", "^" + name + "$", folder}
			var wide []Edit
			if m.Test == chaos {
				wide, args = Wide, append(args, "-tags", "small", "-chaos", "60s", "-linger", "5s")
			}
			overlay, err := newOverlay(root(t), t.TempDir(), []Edit{m.Edit}, wide)
			require.NoError(t, err)
			test := exec.Command("go", append([]string{"test", "-overlay", overlay, "-vet=off"}, args...)...)
			test.Dir = root(t)
			out, err := test.CombinedOutput()
			require.Error(t, err, "%s", out)
			assert.Regexp(t, "--- FAIL: "+name+"|panic: ", string(out))
		})
	}
}
