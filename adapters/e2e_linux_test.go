package adapters_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// enter brings up the loopback interface and becomes the command.
func enter(args []string) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("the loopback interface: %w", err)
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// isolate lets a command run in a network namespace that has loopback alone.
func isolate(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	attributes := &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		// Without these a user other than root may not bring the interface up.
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
	}
	links, err := exec.LookPath("cat")
	if err != nil {
		return err
	}
	try := exec.CommandContext(t.Context(), self, links, "/proc/net/dev")
	try.Env, try.SysProcAttr = append(os.Environ(), inNamespace+"=1"), attributes
	out, err := try.CombinedOutput()
	if err != nil {
		return fmt.Errorf("no network namespace: %w: %s", err, last(out))
	}
	for line := range strings.Lines(string(out)) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && name != "lo" {
			return errors.New("the new network namespace has the interface " + name)
		}
	}
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr, cmd.Env = self, attributes, append(cmd.Env, inNamespace+"=1")
	return nil
}

// dayLater builds a library that sets the clock of a process to a day later.
func dayLater(t *testing.T) (string, error) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", err
	}
	library := filepath.Join(t.TempDir(), "daylater.so")
	if out, err := exec.CommandContext(t.Context(), cc, "-shared", "-fPIC", "-o", library, "testdata/daylater.c").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", cc, err, last(out))
	}
	date := exec.CommandContext(t.Context(), "date", "+%s")
	date.Env = append(os.Environ(), "LD_PRELOAD="+library)
	out, err := date.Output()
	if err != nil {
		return "", err
	}
	shown, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if ahead := time.Until(time.Unix(shown, 0)); err == nil && (ahead < 23*time.Hour || ahead > 25*time.Hour) {
		err = fmt.Errorf("with %s the clock is %s ahead", library, ahead)
	}
	return library, err
}

// children returns the adapters of a run, by where they work, and may end them.
func children(dir string, kill bool) (pids []string) {
	entries, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, entry := range entries {
		cwd, err := os.Readlink(entry)
		if err != nil || !strings.HasPrefix(cwd, below(dir)+"/") {
			continue
		}
		pid := strings.Split(entry, "/")[2]
		if number, err := strconv.Atoi(pid); err == nil && kill {
			_ = syscall.Kill(number, syscall.SIGKILL) // it may have ended
		}
		pids = append(pids, pid)
	}
	return pids
}

// watch looks again and again at the sockets of the adapters of a run. The function
// that it returns ends that, and returns the addresses other than loopback that they
// led to, and how often there was something to look at.
func watch(dir string) (stop func() (reached []string, looked int)) {
	end, done := make(chan struct{}), make(chan struct{})
	var reached []string
	looked := 0
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
			for _, pid := range children(dir, false) {
				looked++
				reached = append(reached, remotes(pid)...)
			}
		}
	}()
	return func() ([]string, int) {
		close(end)
		<-done
		slices.Sort(reached)
		return slices.Compact(reached), looked
	}
}

// remotes returns the addresses other than loopback that the sockets of a process
// lead to.
func remotes(pid string) (found []string) {
	own := make(map[string]bool)
	fds, _ := filepath.Glob("/proc/" + pid + "/fd/*")
	for _, fd := range fds {
		if link, err := os.Readlink(fd); err == nil && strings.HasPrefix(link, "socket:[") {
			own[strings.Trim(link, "socket:[]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		file, err := os.Open("/proc/" + pid + "/net/" + table)
		if err != nil {
			continue // it has ended
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || !own[fields[9]] {
				continue
			}
			address, ok := parseAddress(fields[2])
			if ok && !address.IsLoopback() && !address.IsUnspecified() {
				found = append(found, table+" "+address.String())
			}
		}
		_ = file.Close()
	}
	return found
}

// parseAddress reads an address as the tables of sockets have it: words of 32 bits in
// the order of the machine, in hexadecimal digits, and a port.
func parseAddress(text string) (netip.Addr, bool) {
	digits, _, _ := strings.Cut(text, ":")
	var bytes []byte
	for ; len(digits) >= 8; digits = digits[8:] {
		word, err := strconv.ParseUint(digits[:8], 16, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		bytes = append(bytes, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	address, ok := netip.AddrFromSlice(bytes)
	return address.Unmap(), ok
}
