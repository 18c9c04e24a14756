package swap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Copy copies the module in the folder from, except its version control, into the folder to. It makes the paths in
// go.mod and go.work absolute, and returns the additional environment of commands in the copy.
func Copy(to, from string) (env []string, err error) {
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			if rel != "." && (d.Name() == ".git" || d.Name() == ".hg") {
				return filepath.SkipDir
			}
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			return copyLink(target, name, from)
		case d.Type().IsRegular():
			return copyFile(target, name)
		}
		return nil // sockets and pipes
	})
	if err != nil {
		return nil, err
	}
	if err := absolute(to, from); err != nil {
		return nil, err
	}
	return workspace(to, from)
}

func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm()|0o200)
}

// copyLink copies a symbolic link. A link that leaves the module leads to the same place as before.
func copyLink(to, name, root string) error {
	at, err := os.Readlink(name)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(at) {
		full := filepath.Join(filepath.Dir(name), at)
		if rel, err := filepath.Rel(root, full); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			at = full
		}
	}
	return os.Symlink(at, to)
}

// absolute makes the relative paths of go.mod's replace lines absolute.
func absolute(to, from string) error {
	name := filepath.Join(to, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	if err := replaceAll(mod.Replace, from, mod.AddReplace); err != nil {
		return err
	}
	return os.WriteFile(name, modfile.Format(mod.Syntax), 0o644)
}

// replaceAll calls add for each relative path, with the absolute path below root.
func replaceAll(replaced []*modfile.Replace, root string, add func(oldPath, oldVersion, newPath, newVersion string) error) error {
	for _, r := range slices.Clone(replaced) {
		if modfile.IsDirectoryPath(r.New.Path) && !filepath.IsAbs(r.New.Path) {
			if err := add(r.Old.Path, r.Old.Version, filepath.Join(root, r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// workspace writes a go.work for the copy, with the copy in the module's place, if the module is part of a workspace.
func workspace(to, from string) (env []string, err error) {
	cmd := exec.Command("go", "env", "GOWORK")
	cmd.Dir = from
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOWORK: %w", err)
	}
	name := strings.TrimSpace(string(out))
	if name == "" || name == "off" {
		return []string{"GOWORK=off"}, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(name)
	for _, u := range slices.Clone(work.Use) {
		at := u.Path
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, at)
		}
		if at == from {
			at = to
		}
		if err := errors.Join(work.DropUse(u.Path), work.AddUse(at, "")); err != nil {
			return nil, err
		}
	}
	if err := replaceAll(work.Replace, root, work.AddReplace); err != nil {
		return nil, err
	}
	copied := to + ".work"
	if sum, err := os.ReadFile(name + ".sum"); err == nil {
		if err := os.WriteFile(copied+".sum", sum, 0o644); err != nil {
			return nil, err
		}
	}
	work.Cleanup()
	return []string{"GOWORK=" + copied}, os.WriteFile(copied, modfile.Format(work.Syntax), 0o644)
}
