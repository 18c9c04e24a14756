package keyed

import (
	"fmt"
	"strings"

	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// String returns the name of the map and its number of keys. It is safe at any time, and costs as much as Len.
func (m *Map[K, V]) String() string {
	if m.dir == nil {
		return "keyed.Map(not made by New)"
	}
	what, n, s := "", m.Len(), "s"
	if m.name != "" {
		what = m.name + ", "
	}
	if n == 1 {
		s = ""
	}
	return fmt.Sprintf("keyed.Map(%s%d key%s)", what, n, s)
}

// TaskName returns the name under which the timer's entries are shown to people.
func (e *entry[K, V]) TaskName() string {
	if name := e.owner.name; name != "" {
		return name
	}
	return "entry of " + strings.TrimPrefix(taskname.Of((*Map[K, V])(nil)), "*")
}
