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
		"example.org/chat/v2.(*Room).close":   "chat.(*Room).close",
		"example.org/chat/v2/room.run":        "room.run",
		"v2.run":                              "v2.run",
		"example.org/vv.run":                  "vv.run",
		"gopkg.in/yaml%2ev3.Unmarshal":        "yaml.v3.Unmarshal",
		"example.org/chat/room.Cut.func1":     "room.Cut.func1",
		"example.org/chat/v":                  "v",
		"/":                                   "",
		"":                                    "",
	} {
		assert.Equal(t, want, base(name), name)
	}
	assert.Equal(t, "*main.box[string,chat.Room]", short("*main.box[string,example.org/chat/v2.Room]"))
}
