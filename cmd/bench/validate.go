package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/files/strictyaml"
)

func newValidateCommand(a *app) *cobra.Command {
	var (
		set                 []string
		full, schema, lines bool
	)
	cmd := &cobra.Command{
		Use:   "validate CONFIG.yaml...",
		Short: "Check configs and print all errors with line and column",
		Long: `Validate checks configs without running them. It prints a line for each that
is right, and all faults of each that is not: where, what, and what would be
right. It exits with 2 when there is a fault.

It looks at the config alone: whether data is there, 'bench data verify' tells.`,
		Example: `  bench validate configs/*.yaml configs/papers/*.yaml
  bench validate --print my.yaml --set methods.flat-rag.options.k=5
  bench validate --schema > schema.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case schema && len(args) > 0:
				return usageError(errors.New("--schema takes no config"))
			case schema:
				_, err := a.stdout.Write(config.Schema())
				return err
			case len(args) == 0:
				return usageError(errors.New("name at least one config, such as configs/quickstart.yaml"))
			case full && len(args) > 1:
				return usageError(errors.New("--print takes one config"))
			case full && lines:
				return usageError(errors.New("give --print or --json, not both"))
			case full:
				return a.printConfig(args[0], set)
			}
			return a.validate(args, set, lines)
		},
	}
	cmd.Flags().StringArrayVar(&set, "set", nil, "change the configs first: `path=value`, such as seed=2; may be repeated")
	cmd.Flags().BoolVar(&full, "print", false, "print the config with every default and option spelled out")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of configs, for editors")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each config to stdout and nothing else")
	return cmd
}

func (a *app) printConfig(file string, set []string) error {
	c, err := loadConfig(file, set...)
	if err != nil {
		return usageError(err)
	}
	data, err := c.Marshal()
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(data)
	return err
}

// A verdict is what validate finds out about a config: a JSON line.
type verdict struct {
	File     string             `json:"file"`
	OK       bool               `json:"ok"`
	Name     string             `json:"name,omitzero"`
	Datasets []string           `json:"datasets,omitzero"` // labels
	Methods  []string           `json:"methods,omitzero"`
	Models   []string           `json:"models,omitzero"`
	Metrics  []string           `json:"metrics,omitzero"`
	Faults   []strictyaml.Fault `json:"faults,omitzero"`
}

func (a *app) validate(files, set []string, lines bool) error {
	var faults []error
	for _, file := range files {
		c, err := loadConfig(file, set...)
		if err != nil {
			faults = append(faults, err)
		}
		switch v := validated(file, c, err); {
		case lines:
			if err := json.NewEncoder(a.stdout).Encode(v); err != nil {
				return err
			}
		case v.OK:
			if _, err := fmt.Fprintf(a.stdout, "%s: ok: %s\n", file, v.summary()); err != nil {
				return err
			}
		}
	}
	if len(faults) > 0 && lines {
		return usageError(errSilent)
	}
	return usageError(errors.Join(faults...))
}

// validated puts what loading a config gave into a verdict.
func validated(file string, c *config.Config, err error) verdict {
	v := verdict{File: file, OK: err == nil}
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		v.Faults = e.Faults
	} else if err != nil {
		v.Faults = []strictyaml.Fault{{File: file, Msg: err.Error()}}
	}
	if err != nil {
		return v
	}
	labels := func(entries []config.Entry) []string {
		return lists.Map(entries, func(e config.Entry) string { return e.Label })
	}
	v.Name, v.Metrics = c.Name, c.Metrics
	v.Datasets, v.Methods, v.Models = labels(c.Datasets), labels(c.Methods), labels(c.Models)
	return v
}

func (v verdict) summary() string {
	return fmt.Sprintf("%s: datasets %s; methods %s; models %s; %d metrics", v.Name,
		strings.Join(v.Datasets, ", "), strings.Join(v.Methods, ", "), strings.Join(v.Models, ", "), len(v.Metrics))
}
