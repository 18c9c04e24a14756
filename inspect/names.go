package inspect

import (
	"strings"
	"unicode"
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
