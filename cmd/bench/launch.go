package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// launches are the templates of jobs, by kind.
//
//go:embed launch
var launches embed.FS

// launchKinds are the kinds of jobs.
var launchKinds = []string{"slurm", "kubernetes", "ssh"}

// A launch is what the template of a job is filled with.
type launch struct {
	Name    string // of the job: letters, digits and dashes
	Config  string
	Out     string
	Port    int
	Workers int
	Hosts   []string
	Image   string
}

func newLaunchCommand(a *app) *cobra.Command {
	var (
		l    launch
		kind string
	)
	cmd := &cobra.Command{
		Use:   "launch CONFIG.yaml",
		Short: "Write a job that runs a config on many machines",
		Long: `Launch writes a job for a scheduler to stdout: 'bench serve' and its workers.
Read it, change it, and hand it in. It starts nothing itself.

slurm and kubernetes need a folder that all machines share. ssh copies the access
file. Started again, each job goes on with the run folder.`,
		Example: `  bench launch sweep.yaml --print slurm --workers 16 | sbatch
  bench launch sweep.yaml --print kubernetes --workers 8 --image registry/bench:1 | kubectl apply -f -
  bench launch sweep.yaml --print ssh --hosts ada,grace | bash`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := loadConfig(args[0])
			if err != nil {
				return usageError(err)
			}
			l.Config = args[0]
			l.Name = jobName(c.Name)
			if l.Out == "" {
				l.Out = filepath.ToSlash(filepath.Join("results", "runs", record.FileName(c.Name)))
			}
			if err := l.check(kind); err != nil {
				return usageError(err)
			}
			return l.write(a, kind)
		},
	}
	cmd.Flags().StringVar(&kind, "print", "", "`kind` of job: "+strings.Join(launchKinds, ", "))
	cmd.Flags().IntVar(&l.Workers, "workers", 4, "`number` of workers (slurm, kubernetes)")
	cmd.Flags().StringSliceVar(&l.Hosts, "hosts", nil, "`names` of the workers' machines (ssh)")
	cmd.Flags().StringVar(&l.Image, "image", "bench", "container `image` (kubernetes)")
	cmd.Flags().StringVar(&l.Out, "out", "", "run `folder` to make (default results/runs/NAME)")
	cmd.Flags().IntVar(&l.Port, "port", 4222, "`port` at which workers reach the run")
	cobra.CheckErr(cmd.MarkFlagRequired("print"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("print", cobra.FixedCompletions(launchKinds, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// check reports what no job can be made of.
func (l launch) check(kind string) error {
	var faults []error
	switch kind {
	case "slurm", "kubernetes":
		if l.Workers < 1 {
			faults = append(faults, fmt.Errorf("--workers is %d, want at least 1", l.Workers))
		}
	case "ssh":
		if len(l.Hosts) == 0 {
			faults = append(faults, errors.New("--hosts names no machine, want some, such as ada,grace"))
		}
		for _, h := range l.Hosts {
			if h == "" || strings.HasPrefix(h, "-") {
				faults = append(faults, fmt.Errorf("--hosts: %q is no name of a machine", h))
			}
		}
	default:
		faults = append(faults, fmt.Errorf("--print: %s", suggest.Unknown("kind", kind, launchKinds)))
	}
	if l.Port < 1 || l.Port > 65535 {
		faults = append(faults, fmt.Errorf("--port is %d, want 1 to 65535", l.Port))
	}
	return errors.Join(faults...)
}

// write writes the job of a kind. In the templates sh quotes a text for a shell, and
// yaml for YAML.
func (l launch) write(a *app, kind string) error {
	name := kind + ".tmpl"
	t, err := template.New(name).Funcs(template.FuncMap{
		"sh": func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
		"yaml": func(s string) (string, error) {
			data, err := json.Marshal(s) // a text of JSON is a text of YAML
			return string(data), err
		},
	}).ParseFS(launches, "launch/"+name)
	if err != nil {
		return err
	}
	return t.Execute(a.stdout, l)
}

// jobName is a name of a config as schedulers take it: at most 50 lower-case letters,
// digits and dashes, a letter first.
func jobName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower("bench-"+name))
	return strings.Trim(name[:min(len(name), 50)], "-")
}
