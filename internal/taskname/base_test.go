package taskname

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// No package of the module has such an import path, hence the test of the unexported function.
func TestImportPathsAreDropped(t *testing.T) {
	for name, want := range map[string]string{
		"main.run":                            "main.run",
		"example.org/chat/room.(*Room).close": "room.(*Room).close",
		"example.org/chat/room.Cut.func1":     "room.Cut.func1",
		"/":                                   "",
		"":                                    "",
	} {
		assert.Equal(t, want, base(name), name)
	}
	assert.Equal(t, "*main.box[string,chat.Room]", short("*main.box[string,example.org/chat.Room]"))
}
