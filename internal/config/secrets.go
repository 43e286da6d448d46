package config

import (
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/redact"
)

// Marshal writes the config as a run file with every default and option
// spelled out, in a fixed order. Parsing it gives an equal config.
func (c *Config) Marshal() ([]byte, error) {
	var without []string
	if len(c.Seeds) > 0 {
		without = append(without, "seed")
	}
	data, err := strictyaml.Encode(c, without...)
	if err != nil {
		return nil, fmt.Errorf("config %s: %w", c.Name, err)
	}
	if len(data) > strictyaml.MaxBytes {
		return nil, fmt.Errorf("config %s: with all defaults and entries it has %d bytes, more than the %d that can be read; want fewer combinations", c.Name, len(data), strictyaml.MaxBytes)
	}
	return data, nil
}

// secrets collects what looks like a key that is written out in a document, and
// makes each a fault: what a config says is printed, and kept with every run.
func secrets(v strictyaml.Value, name string) []string {
	var found []string
	if text, ok := v.Text(); ok {
		if found = redact.Literals(name, text); len(found) > 0 {
			v.Faultf("looks like a key or a password; a config only names where a key is, as key: {env: NAME} or key: {file: PATH}")
		}
	}
	if redact.Secret(name) && !v.IsMapping() && !v.IsList() {
		found = append(found, v.Short()) // a number, whose type is a fault
	}
	v.Keys(func(name string, _, value strictyaml.Value) { found = append(found, secrets(value, name)...) })
	for _, entry := range v.Each() {
		found = append(found, secrets(entry, name)...)
	}
	return found
}

// assigned collects what looks like a key in assignments.
func assigned(set []string) []string {
	var found []string
	for _, s := range set {
		path, value, _ := strings.Cut(s, "=")
		found = append(found, redact.Literals(path[strings.LastIndexAny(path, ".]")+1:], value)...)
		if redact.LooksLikeKey(value) {
			found = append(found, value)
		}
	}
	return found
}

// concealed returns an error of a config without secrets.
func concealed(err error, found []string) error {
	e, ok := errors.AsType[*strictyaml.Error](err)
	if !ok {
		return err
	}
	for _, secret := range found {
		redact.Register(secret)
	}
	r := redact.Exact(found...)
	clean := func(s string) string {
		if start, cut := strings.CutSuffix(s, "..."); cut { // a long assignment
			return r.Beginning(redact.Guess(start)) + "..."
		}
		return r.Text(redact.Guess(s))
	}
	for i, f := range e.Faults {
		e.Faults[i].File, e.Faults[i].Path, e.Faults[i].Msg = clean(f.File), clean(f.Path), clean(f.Msg)
	}
	return e
}
