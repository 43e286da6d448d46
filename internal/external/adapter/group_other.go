//go:build unix && !linux

package adapter

import "syscall"

// groupOfItsOwn lets a process lead a group.
func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
