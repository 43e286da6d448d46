//go:build unix

package adapter

import (
	"os/exec"
	"syscall"
)

// groupOfItsOwn lets a process lead a group.
func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup asks the group of a process to end, or ends it.
func signalGroup(cmd *exec.Cmd, force bool) {
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, signal) // one that is gone needs none
}
