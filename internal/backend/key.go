package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A Key says where a key is read from. It never contains the key itself.
type Key struct {
	// Env is the name of an environment variable.
	Env string `yaml:"env"`
	// File is the path of a file that contains only the key.
	File string `yaml:"file"`
}

// Validate reports values out of range.
func (k Key) Validate() error {
	var faults fault.List
	faults.Want(k.Env == "" || k.File == "", "env and file are both set, want one of them")
	// Messages do not repeat the value, which may be the key itself.
	const elsewhere = "; the key itself does not belong in a run file"
	isName := !strings.ContainsFunc(k.Env, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	faults.Want(isName, "env is not the name of an environment variable"+elsewhere)
	faults.Want(!isName || !redact.LooksLikeKey(k.Env), "env looks like a key, want the name of the environment variable with the key"+elsewhere)
	faults.Want(!redact.LooksLikeKey(k.File), "file looks like a key, want the path of the file with the key"+elsewhere)
	return errors.Join(faults...)
}

// maxKey bounds a file that is read as a key.
const maxKey = 16 << 10

// Read returns the key; empty if none is named. Messages name the place and
// never its content.
func (k Key) Read(env Env) (key string, err error) {
	var where string
	switch {
	case k.Env != "":
		where = "key.env: the value of " + k.Env
		if env.Getenv != nil {
			key = strings.TrimSpace(env.Getenv(k.Env))
		}
		if key == "" {
			return "", fmt.Errorf("key.env: the environment variable %s is not set; set it to the key", k.Env)
		}
	case k.File != "":
		where = "key.file: " + k.File
		path := Absolute(env.Base, k.File)
		if info, err := os.Stat(path); err == nil && (info.IsDir() || info.Size() > maxKey) {
			return "", errors.New(where + " is not a file with only a key")
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("key.file: %w", err)
		}
		if key = strings.TrimSpace(string(data)); key == "" {
			return "", errors.New(where + " is empty; want only the key")
		}
	default:
		return "", nil
	}
	redact.Register(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) { // which no header can hold
		err = errors.New(where + " contains white space or characters that no key has")
	}
	return key, err
}

// Absolute returns a relative path joined to base.
func Absolute(base, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
