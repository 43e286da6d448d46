package adapter

import "syscall"

// groupOfItsOwn lets a process lead a group, and end when the harness does,
// whatever ended that.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
