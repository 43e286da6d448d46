package adapter

import "recallbench/internal/backend"

// A Credential says where the key of a service is read from.
type Credential struct {
	backend.Key `yaml:",inline"`
}

// Read returns the credential; empty for none.
func (c Credential) Read(base string, getenv func(string) string) (string, error) {
	return c.Key.Read(backend.Env{Base: base, Getenv: getenv})
}

// Absolute returns a path of an option, taken from base where it is relative.
func Absolute(base, path string) string { return backend.Absolute(base, path) }
