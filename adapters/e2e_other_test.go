//go:build !linux

package adapters_test

import (
	"errors"
	"os/exec"
	"testing"
)

var errLinux = errors.New("needs Linux")

func enter([]string) error                { return errLinux }
func isolate(*testing.T, *exec.Cmd) error { return errLinux }
func dayLater(*testing.T) (string, error) { return "", errLinux }
func children(string, bool) []string      { return nil }
func watch(string) func() ([]string, int) { return func() ([]string, int) { return nil, 0 } }
