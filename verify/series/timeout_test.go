package series_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func tidyUp(*hashedwheel.Series) {}

// A list of pending timeouts can name the function of a series.
func TestTimeoutOfASeriesNamesItsFunction(t *testing.T) {
	_, tm := timertest.NewManual()
	tm.Every(time.Hour, tidyUp)
	left := tm.Stop()
	require.Len(t, left, 1)
	assert.Contains(t, left[0].String(), " series_test.tidyUp)")
}
