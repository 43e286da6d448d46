package adapter

import "recallbench/internal/backend"

// A Credential names what a service asks to be shown.
type Credential struct {
	// Header is the name of the header that carries it.
	Header string `yaml:"header"`
	// Key says where it is read from.
	backend.Key `yaml:",inline"`
}

// Given reports whether there is one.
func (c Credential) Given() bool { return c.Env != "" || c.File != "" }

// Read returns the value of the header.
func (c Credential) Read(base string, getenv func(string) string) (string, error) {
	return c.Key.Read(backend.Env{Base: base, Getenv: getenv})
}

// Absolute returns a path of an option, taken from base where it is relative.
func Absolute(base, path string) string { return backend.Absolute(base, path) }
