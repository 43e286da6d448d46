package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/testkit/golden"
)

// Jobs are what shells and Kubernetes read, whatever the names of files
// and hosts are.
func TestLaunch(t *testing.T) {
	config := write(t, "it's.yaml", "name: A_b.c\nmethods: [{use: stateless}]\ndatasets: [{use: sample}]\nmetrics: [f1@mem0]\n")
	for _, kind := range launchKinds {
		t.Run(kind, func(t *testing.T) {
			job := must(t, "launch", config, "--print", kind, "--workers", "3", "--hosts", "ada,it's", "--out", "runs/a 'b' $(c)", "--image", "registry/bench:1").stdout
			golden.Check(t, "launch."+kind+".txt", strings.ReplaceAll(job, strings.TrimSuffix(config, "it's.yaml"), "DIR/"))
			if kind != "kubernetes" {
				shell, err := exec.LookPath("bash")
				if err != nil {
					t.Skip("no bash to check the syntax")
				}
				check := exec.CommandContext(t.Context(), shell, "-n")
				check.Stdin = strings.NewReader(job)
				if out, err := check.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			var kinds []string
			for documents := yaml.NewDecoder(strings.NewReader(job)); ; {
				var d struct {
					Kind string
					Spec struct {
						Completions, Parallelism int
						Template                 struct {
							Spec struct {
								Containers []struct{ Args []string }
							}
						}
					}
				}
				err := documents.Decode(&d)
				if err == io.EOF { //nolint:errorlint // the decoder's own
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, d.Kind)
				if d.Kind == "Job" && (len(d.Spec.Template.Spec.Containers) != 1 || d.Spec.Completions != d.Spec.Parallelism) {
					t.Errorf("%+v", d.Spec)
				}
			}
			if strings.Join(kinds, " ") != "Service Job Job" {
				t.Errorf("documents %v", kinds)
			}
		})
	}
	for want, args := range map[string][]string{
		"--workers is 0":        {"--print", "slurm", "--workers", "0"},
		"--hosts names no":      {"--print", "ssh"},
		"unknown kind":          {"--print", "sulrm"},
		`"-oProxy" is no name`:  {"--print", "ssh", "--hosts", "-oProxy"},
		"--port is 70000, want": {"--print", "slurm", "--port", "70000"},
	} {
		if r := run(t, append([]string{"launch", config}, args...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit %d, %s, want %q", args, r.code, r.stderr, want)
		}
	}
}
