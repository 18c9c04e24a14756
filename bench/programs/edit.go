package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// change is a command of an ed script: 12,14c or 12a or 12d.
var change = regexp.MustCompile(`^(\d+)(?:,(\d+))?([acd])$`)

// edit applies a port to a copy of a module. A port is an ed script as `diff -e` prints it, which names lines of the
// program by their numbers and has none of their text. A line "file NAME" begins the changes of a file, from its last
// line to its first. Lines between changes that begin with # are comments.
func edit(dir, script string) error {
	var name string
	var lines []string
	save := func() error {
		if name == "" {
			return nil
		}
		return os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644)
	}
	for rest := strings.Split(script, "\n"); len(rest) > 0; {
		command := rest[0]
		rest = rest[1:]
		if command == "" || command[0] == '#' {
			continue
		}
		if file, ok := strings.CutPrefix(command, "file "); ok {
			if err := save(); err != nil {
				return err
			}
			name = filepath.Join(dir, file)
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			lines = strings.Split(string(text), "\n")
			continue
		}
		m := change.FindStringSubmatch(command)
		if m == nil {
			return fmt.Errorf("%s: %q is no change", name, command)
		}
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		if to > len(lines) || from > to || from == 0 && m[3] != "a" {
			return fmt.Errorf("%s: %q of %d lines", name, command, len(lines))
		}
		var added []string
		if m[3] != "d" {
			end := slices.Index(rest, ".")
			if end < 0 {
				return fmt.Errorf("%s: no dot after %q", name, command)
			}
			added, rest = rest[:end], rest[end+1:]
		}
		if m[3] == "a" {
			from = to + 1
		}
		lines = slices.Replace(lines, from-1, to, added...)
	}
	return save()
}
