package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes the test binaries of the programs, in temp/std as they are and in temp/hashedwheel ported. A port that
// has no script is in the load.
func build(temp string, names []string) error {
	packages := make([]string, len(names))
	for i, name := range names {
		packages[i] = "./loads/" + name
	}
	if err := compile("off", filepath.Join(temp, "std"), packages); err != nil { // this also downloads the modules
		return err
	}
	here, err := command("off", "go", "list", "-m", "-f", "go {{.GoVersion}}\nuse {{.Dir}}\n")
	if err != nil {
		return err
	}
	work := filepath.Join(temp, "go.work") // has the changed modules in place of the original ones
	if err := os.WriteFile(work, []byte(here), 0o644); err != nil {
		return err
	}
	for _, name := range names {
		script, err := os.ReadFile("ports/" + name + ".sed")
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		module, err := port(filepath.Join(temp, name), string(script))
		if err != nil {
			return fmt.Errorf("ports/%s.sed: %w", name, err)
		}
		if _, err := command(work, "go", "work", "edit", "-replace="+module+"="+filepath.Join(temp, name)); err != nil {
			return err
		}
	}
	return compile(work, filepath.Join(temp, "hashedwheel"), packages)
}

func compile(work, to string, packages []string) error {
	_, err := command(work, "go", append([]string{"test", "-c", "-o", to + "/"}, packages...)...)
	return err
}

// port copies the module that a script is for, and changes the copy. The script's first line names the module and its
// version. A line "file NAME" begins the changes of a file, which are commands for sed: they name lines of the program
// by their numbers and have none of their text.
func port(to, script string) (module string, err error) {
	parts := strings.Split(script, "\nfile ")
	head, _, _ := strings.Cut(parts[0], "\n")
	module, version, _ := strings.Cut(strings.TrimPrefix(head, "module "), " ")
	found, err := command("off", "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", module)
	if err != nil {
		return "", err
	}
	in, dir, _ := strings.Cut(strings.TrimSpace(found), " ")
	if in != version {
		return "", fmt.Errorf("it is for %s %s, and go.mod has %s", module, version, in)
	}
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		return "", err
	}
	for _, part := range parts[1:] {
		name, commands, _ := strings.Cut(part, "\n")
		path := filepath.Join(to, name)
		text, err := command("off", "sed", "-e", commands, path)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return module, nil
}

// command returns a command's output. The go command works with the workspace.
func command(work, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOWORK="+work)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w\n%s%s", err, out, failed.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
