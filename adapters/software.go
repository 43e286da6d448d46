package adapters

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// FolderVariable is the environment variable that names the folder with the
// software of ready adapters.
const FolderVariable = "BENCH_ADAPTERS"

// Software says where the software of an adapter is installed. Adapters whose
// libraries want different versions of others have a folder each.
type Software struct {
	Programs string // folder of a virtual environment's programs; empty for none
	Packages string // folder node_modules; empty for none
}

// FindSoftware looks for the software of an adapter in the folder of its name in
// $BENCH_ADAPTERS: a virtual environment of Python, or the folder node_modules.
func FindSoftware(name string, getenv func(string) string) Software {
	var s Software
	root := getenv(FolderVariable)
	if root == "" || !filepath.IsLocal(name) {
		return s
	}
	dir, err := filepath.Abs(filepath.Join(root, name))
	if err != nil {
		return s
	}
	for _, bin := range []string{"bin", "Scripts"} {
		if isFolder(filepath.Join(dir, bin)) {
			s.Programs = filepath.Join(dir, bin)
			break
		}
	}
	if packages := filepath.Join(dir, "node_modules"); isFolder(packages) {
		s.Packages = packages
	}
	return s
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Program returns the path of a program of the software, or the word itself where
// it names none of these.
func (s Software) Program(word string) string {
	if s.Programs == "" || strings.ContainsAny(word, `/\`) {
		return word
	}
	if path, err := exec.LookPath(filepath.Join(s.Programs, word)); err == nil {
		return path
	}
	return word
}

// Variables returns PATH and NODE_PATH with the software before what the
// environment has, as far as it needs either.
func (s Software) Variables(getenv func(string) string) map[string]string {
	vars := make(map[string]string)
	for name, folder := range map[string]string{"PATH": s.Programs, "NODE_PATH": s.Packages} {
		if folder == "" {
			continue
		}
		vars[name] = folder
		if rest := getenv(name); rest != "" {
			vars[name] += string(filepath.ListSeparator) + rest
		}
	}
	return vars
}

// probeTime is how long the probe of an adapter may take.
const probeTime = 30 * time.Second

// Installed reports whether the probe of an adapter succeeds.
func (m Manifest) Installed(ctx context.Context, getenv func(string) string) bool {
	if len(m.Probe) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	software := FindSoftware(m.Name, getenv)
	cmd := exec.CommandContext(ctx, software.Program(m.Probe[0]), m.Probe[1:]...)
	cmd.Env = cmd.Environ()
	for name, value := range software.Variables(getenv) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd.Run() == nil
}
