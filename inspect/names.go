package inspect

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// maxName is how many characters of a name are shown.
const maxName = 200

// readable returns a name as it is shown: without characters that control a terminal or the direction of text, and not
// longer than maxName.
func readable(name string) string {
	length, last := 0, 0
	for i := range name {
		if length++; length == maxName {
			last = i
		}
		if length > maxName {
			name = name[:last] + "…"
			break
		}
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) {
			return unicode.ReplacementChar
		}
		return c // the replacement character, if it was not UTF-8
	}, name)
}

// literal returns the place in the code where a function literal begins, since the name of a literal means little:
// "server.go:42", the line of func or of the first statement. For other tasks it returns nothing.
func literal(task any) string {
	f := taskname.Func(task)
	if f == nil || !isLiteral(f.Name()) {
		return ""
	}
	file, line := f.FileLine(f.Entry())
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// isLiteral recognizes the names that the compiler gives to function literals: main.run.func2.1
func isLiteral(name string) bool {
	rest := name[strings.LastIndexByte(name, '/')+1:]
	for found := true; found; {
		_, rest, found = strings.Cut(rest, ".func")
		if found && rest != "" && '0' <= rest[0] && rest[0] <= '9' {
			return true
		}
	}
	return false
}
