//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Jobs run under bash, in place of the scheduler and with a ssh that starts commands
// here, to the folder of one machine.
func TestLaunchRuns(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to run the jobs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		// A worker that begins after the run has ended finds no coordinator: exit code 6.
		"bench":    `[ "$1" != work ] || set -- "$@" --patience 5s; ` + asMain + `=1 "` + self + `" "$@" || { code=$?; [ "$1 $code" = "work 6" ] || exit $code; }`,
		"hostname": "echo 127.0.0.1",
		"ssh":      `mkdir -p "$HOME/$1" && cd "$HOME/$1" && exec sh -c "$2"`,
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config, one := questions(t, 6, 2, "name: many\nmodels: [{use: offline}]\n"), filepath.Join(root, "one")
	must(t, "run", config, "--out", one, "--display", "none")
	for kind, tasks := range map[string]int{"slurm": 3, "ssh": 1} {
		t.Run(kind, func(t *testing.T) {
			free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			port := free.Addr().(*net.TCPAddr).Port
			if err := free.Close(); err != nil {
				t.Fatal(err)
			}
			many := filepath.Join(root, "a 'b' $(c)", kind)
			job := must(t, "launch", config, "--print", kind, "--workers", "2", "--hosts", "ada,it's", "--port", strconv.Itoa(port), "--out", many).stdout
			path := write(t, "job", job)
			var running sync.WaitGroup
			for task := range tasks {
				cmd := exec.CommandContext(t.Context(), shell, path)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "PATH="+root+":"+os.Getenv("PATH"), "HOME="+cmd.Dir, fmt.Sprint("SLURM_ARRAY_TASK_ID=", task))
				running.Go(func() {
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("task %d: %v\n%s", task, err, out)
					}
				})
			}
			running.Wait()
			if diff := cmp.Diff(recorded(t, one), recorded(t, many)); diff != "" {
				t.Errorf("(-one +many):\n%s", diff)
			}
		})
	}
}
