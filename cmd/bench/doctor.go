package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recallbench/configs"
	"recallbench/configs/suite"
	"recallbench/internal/backend"
	"recallbench/internal/plain"
	"recallbench/runners"
)

func newDoctorCommand(a *app) *cobra.Command {
	var (
		from  configFlags
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "doctor CONFIG.yaml",
		Short: "Try the models of a config: server, key, model, parameters, log-probabilities",
		Long: `Doctor tries what the models of a config name, and prints a line for each thing
found: ok, warn (a run will work, but not in all ways) or fail, with the remedy.
It goes on where something fails, and exits with 6 when anything did.

It asks each language model for a few short replies and embeds four short texts,
which costs some hundred tokens. Nothing is recorded, and no key is shown.`,
		Example: `  bench doctor my.yaml
  bench doctor configs/quickstart.yaml --model configs/models/openai.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := from.load(args[0])
			if err != nil {
				return err
			}
			return a.doctor(cmd, config, lines)
		},
	}
	from.add(cmd)
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each finding to stdout and nothing else")
	return cmd
}

// A finding is a line of doctor's output.
type finding struct {
	Model  string                `json:"model"`
	Status backend.FindingStatus `json:"status"`
	What   string                `json:"what"`
	Detail string                `json:"detail"`
	Remedy string                `json:"remedy,omitzero"`
}

func (f finding) line() string {
	s := fmt.Sprintf("%-4s  %s: %s: %s", f.Status, f.Model, f.What, f.Detail)
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return plain.Text(s)
}

func (a *app) doctor(cmd *cobra.Command, config *configs.Config, lines bool) error {
	missing := 0
	var faults []error
	env := runners.Env{Now: time.Now, Log: a.log(), Getenv: a.env}
	err := runners.Check(cmd.Context(), config, suite.Plugins(), env, func(label string, b backend.Finding) {
		f := finding{label, b.Status, b.What, b.Detail, b.Remedy}
		if b.Status == backend.Missing {
			missing++
		}
		var err error
		if lines {
			err = json.NewEncoder(a.stdout).Encode(f)
		} else {
			_, err = fmt.Fprintln(a.stdout, f.line())
		}
		faults = append(faults, err)
	})
	if err != nil {
		return usageError(err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	switch {
	case missing == 0:
		return nil
	case lines:
		return withExit(exitUnavailable, errSilent)
	case missing == 1:
		return withExit(exitUnavailable, errors.New("1 thing is missing"))
	default:
		return withExit(exitUnavailable, fmt.Errorf("%d things are missing", missing))
	}
}
