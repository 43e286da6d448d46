package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	var faults []error
	if k.Env != "" && k.File != "" {
		faults = append(faults, errors.New("env and file are both set, want one of them"))
	}
	if strings.ContainsFunc(k.Env, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		// The value is not repeated: whoever writes the key itself here should
		// not find it in a message.
		faults = append(faults, errors.New("env is not the name of an environment variable; the key itself does not belong in a run file"))
	} else if redact.LooksLikeKey(k.Env) {
		faults = append(faults, errors.New("env looks like a key, want the name of the environment variable with the key; the key itself does not belong in a run file"))
	}
	if redact.LooksLikeKey(k.File) {
		faults = append(faults, errors.New("file looks like a key, want the path of the file with the key; the key itself does not belong in a run file"))
	}
	return errors.Join(faults...)
}

// maxKey bounds a file that is read as a key.
const maxKey = 16 << 10

// Read returns the key; empty if none is named. Messages name the place and
// never its content.
func (k Key) Read(env Env) (string, error) {
	switch {
	case k.Env != "":
		key := ""
		if env.Getenv != nil {
			key = env.Getenv(k.Env)
		}
		if key = strings.TrimSpace(key); key == "" {
			return "", fmt.Errorf("key.env: the environment variable %s is not set; set it to the key", k.Env)
		}
		redact.Register(key)
		return key, checkKey("key.env: the value of "+k.Env, key)
	case k.File != "":
		path := Absolute(env.Base, k.File)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return "", fmt.Errorf("key.file: %w", err)
		case info.IsDir() || info.Size() > maxKey:
			return "", fmt.Errorf("key.file: %s is not a file with only a key", k.File)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("key.file: %w", err)
		}
		key := strings.TrimSpace(string(data))
		if key == "" {
			return "", fmt.Errorf("key.file: %s is empty; want only the key", k.File)
		}
		redact.Register(key)
		return key, checkKey("key.file: "+k.File, key)
	}
	return "", nil
}

// checkKey refuses what no header can hold.
func checkKey(where, key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New(where + " contains white space or characters that no key has")
	}
	return nil
}

// Absolute returns a relative path joined to base.
func Absolute(base, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
