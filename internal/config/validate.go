package config

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

// notInFiles are characters that the label of a dataset may not have, as files
// are named by it.
const notInFiles = `/\:*?"<>|`

// Validate reports values out of range.
func (c *Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("name is empty; leave out the key to use the file's name")
	case notInNames.MatchString(c.Name) || c.Name[0] == '.' || c.Name[0] == '-':
		return fmt.Errorf("name is %q, want letters, digits, dots, hyphens and underscores, not beginning with a dot or hyphen", c.Name)
	case utf8.RuneCountInString(c.Name) > maxName:
		return fmt.Errorf("name has more than %d characters", maxName)
	}
	return nil
}

// Validate reports values out of range.
func (a Asking) Validate() error {
	switch {
	case a.When != "" && a.When != Unclear:
		return fmt.Errorf("when is %q, want %s", a.When, Unclear)
	case a.Audit != nil && a.When == "":
		return errors.New("audit needs when: unclear")
	case a.Audit != nil && !(*a.Audit >= 0 && *a.Audit <= 1):
		return fmt.Errorf("audit is %v, want a share from 0 to 1", *a.Audit)
	}
	return nil
}

// Validate reports values out of range.
func (l RequestLimits) Validate() error {
	if l.Time < 0 {
		return fmt.Errorf("time is %s, want a time above 0, or 0 for no bound", l.Time)
	}
	return nil
}
