package configs

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// The longest name of a run and label of an entry, in characters.
const (
	maxName  = 64
	maxLabel = 80
)

// Validate reports values out of range.
func (c *Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("name is empty; leave the key out for the file's name")
	case notInNames.MatchString(c.Name) || c.Name[0] == '.' || c.Name[0] == '-':
		return fmt.Errorf("name is %q, want letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first", c.Name)
	case utf8.RuneCountInString(c.Name) > maxName:
		return fmt.Errorf("name has more than %d characters", maxName)
	}
	return nil
}

// Validate reports values out of range.
func (c Concurrency) Validate() error {
	var faults []error
	if c.Samples < 1 {
		faults = append(faults, fmt.Errorf("samples is %d, want at least 1", c.Samples))
	}
	if c.Requests < 1 {
		faults = append(faults, fmt.Errorf("requests is %d, want at least 1", c.Requests))
	}
	return errors.Join(faults...)
}

// Validate reports values out of range.
func (l Limits) Validate() error {
	var faults []error
	if !(l.Errors >= 0 && l.Errors <= 1) {
		faults = append(faults, fmt.Errorf("errors is %v, want a share from 0 to 1", l.Errors))
	}
	if l.Requests < 0 {
		faults = append(faults, fmt.Errorf("requests is %d, want at least 1, or 0 for all", l.Requests))
	}
	return errors.Join(faults...)
}
