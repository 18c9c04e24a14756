package idle_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// A program may print a connection while other goroutines use it. The race detector sees fields that
// fmt reads; the lines are short.
func TestStringDuringUse(t *testing.T) {
	tm := newTimer(t, hashedwheel.WithTick(time.Millisecond))
	here, there := tcp(t)
	conn, err := idle.NewConn(tm, here, time.Hour, idle.Counted())
	require.NoError(t, err)
	l := listen(t, tm, time.Hour)
	printed := map[string]any{"Conn": conn, "listener": l, "the task": tm.Sample(1)[0].Task}
	inner, peer := tcp(t)
	w, err := idle.Watch(tm, inner, time.Hour, func(net.Conn) {})
	if err == nil {
		printed["Watcher"] = w
	} else {
		printed["Watcher"] = new(idle.Watcher)
	}
	require.Subset(t, keys(printed), exportedStructs(t), "a type that this test does not print")

	var using, printing sync.WaitGroup
	stop := make(chan struct{})
	use := func(f func() error) {
		using.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if f() != nil {
						return
					}
				}
			}
		})
	}
	use(func() error { _, err := conn.Write([]byte("!")); return err })
	use(func() error { _, err := there.Write([]byte("!")); return err })
	use(func() error { conn.SetIdleTimeout(time.Minute); conn.SetIdleTimeout(time.Hour); return nil })
	use(func() error { _, err := peer.Write([]byte("!")); return err })
	use(func() error { _, err := l.Accept(); return err })
	using.Go(func() { _, _ = io.Copy(io.Discard, conn) })
	using.Go(func() { _, _ = io.Copy(io.Discard, there) })
	using.Go(func() { _, _ = io.Copy(io.Discard, inner) })
	for name, v := range printed {
		printing.Go(func() {
			for range 200 {
				for _, verb := range []string{"%v", "%+v", "%s", "%q"} {
					if line := fmt.Sprintf(verb, v); len(line) > 100 || strings.Contains(line, "{") {
						t.Errorf("%s is printed as %q", name, line)
						return
					}
				}
			}
		})
	}
	printing.Wait()
	close(stop)
	_, _, _ = conn.Close(), l.Close(), inner.Close()
	_, _ = there.Close(), peer.Close()
	if err == nil {
		w.Stop()
	}
	using.Wait()
}

func keys(m map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

// exportedStructs returns the exported types of the package that fmt would print field by field.
func exportedStructs(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				if _, ok := spec.Type.(*ast.StructType); ok {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	return names
}

func TestString(t *testing.T) {
	tm := newTimer(t)
	l := listen(t, tm, 2*time.Minute)
	peer := dial(t, l)
	accepted, err := l.Accept()
	require.NoError(t, err)
	conn := accepted.(*idle.Conn)
	ends := "tcp " + l.Addr().String() + "->" + peer.LocalAddr().String()
	require.Equal(t, "idle.Listener(tcp "+l.Addr().String()+", 2m0s)", fmt.Sprint(l))
	require.Equal(t, "idle.Conn("+ends+", 2m0s)", conn.String())
	conn.SetIdleTimeout(0)
	require.Equal(t, "idle.Conn("+ends+", no idle time)", conn.String())
	require.NoError(t, conn.Close())
	require.Equal(t, "idle.Conn("+ends+", ended)", conn.String())
	require.Equal(t, "idle.Conn(not in use)", new(idle.Conn).String())
	require.Equal(t, "idle.Conn(? ?->?, 1s)", newFake("").in(t).String())
}

func TestZeroWatcherIsNotInUse(t *testing.T) {
	w := new(idle.Watcher)
	require.Equal(t, "idle.Watcher(not in use)", w.String())
	require.False(t, w.Stop())
	require.Equal(t, "idle.Watcher(not in use)", w.String())
}

func TestStringOfAnIdleConn(t *testing.T) {
	virtual(t, func(t *testing.T, s scene) {
		s.closedAfter(t, d)
		require.Equal(t, "idle.Conn(pipe pipe->pipe, was idle)", s.conn.String())
	})
}

func TestStringOfAWatcher(t *testing.T) {
	watchable(t)
	here, there := tcp(t)
	w, err := idle.Watch(newTimer(t), here, 2*time.Minute, func(net.Conn) {})
	require.NoError(t, err)
	ends := "tcp " + here.LocalAddr().String() + "->" + there.LocalAddr().String()
	require.Equal(t, "idle.Watcher("+ends+", 2m0s)", w.String())
	require.True(t, w.Stop())
	require.Equal(t, "idle.Watcher("+ends+", ended)", w.String())
}
