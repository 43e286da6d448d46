package config

import (
	"errors"
	"fmt"
	"regexp"
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

var (
	// runName is what a run may be called, of at most maxName characters.
	runName = regexp.MustCompile(`^[\pL\pN_][\pL\pN._-]*$`)
	// notInNames are the characters that the name of a run may not have.
	notInNames = regexp.MustCompile(`[^\pL\pN._-]+`)
)

// Validate reports values out of range.
func (c *Config) Validate() error {
	if !runName.MatchString(c.Name) || utf8.RuneCountInString(c.Name) > maxName {
		return fmt.Errorf("name is %q, want at most %d letters, digits, dots, hyphens and underscores, not beginning with a dot or hyphen", c.Name, maxName)
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
