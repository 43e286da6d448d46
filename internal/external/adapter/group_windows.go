package adapter

import (
	"os/exec"
	"syscall"
)

// groupOfItsOwn keeps an interrupt of the console from the process.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup ends a process by force: there is no other way.
func signalGroup(cmd *exec.Cmd, force bool) {
	if force {
		_ = cmd.Process.Kill() // one that is gone needs none
	}
}
