package inspect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/inspect"
)

// named is a task that gives itself a name.
type named struct {
	session
	name string
}

func (n *named) TaskName() string { return n.name }

func TestNamesAreShownWithoutControlCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"calls":                        "calls",
		"ü, 日本語, a b, 🕰":               "ü, 日本語, a b, 🕰",
		"a\x00b\nc\rd\te\x1b[31mf\x7f": "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD[31mf\uFFFD",
		"\u0085next line \u202eright to left \ufeffno width": "\uFFFDnext line \uFFFDright to left \uFFFDno width",
		"\xff\xfe, cut \xe6\x97":                             "\uFFFD\uFFFD, cut \uFFFD\uFFFD",
		strings.Repeat("x", 200):                             strings.Repeat("x", 200),
		strings.Repeat("日", 200):                             strings.Repeat("日", 200),
		strings.Repeat("x", 201):                             strings.Repeat("x", 199) + "…",
		strings.Repeat("日", 10_000):                          strings.Repeat("日", 199) + "…",
		strings.Repeat("\xff", 1_000_000):                    strings.Repeat("\uFFFD", 199) + "…",
	} {
		tm, _ := newTimer(t)
		_, err := tm.Schedule(time.Hour, &named{name: name})
		require.NoError(t, err)
		r := readReport(t, inspect.Handler(timers{name: tm})).Timers[0]
		assert.Equal(t, []string{want, want}, []string{r.Name, r.Tasks[0].Name})
	}
}

func TestKindsOfTasksWithTheSameShownNameAreOneRow(t *testing.T) {
	tm, _ := newTimer(t)
	for i := range 3 {
		_, err := tm.Schedule(time.Hour, &named{name: fmt.Sprint(strings.Repeat("x", 300), i)})
		require.NoError(t, err)
	}
	tasks := readReport(t, inspect.Handler(timers{"calls": tm})).Timers[0].Tasks
	assert.Equal(t, []taskRow{{strings.Repeat("x", 199) + "…", 3}}, tasks)
}
