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

// configChecks are what doctor does with configs alone.
type configChecks struct{ faults, print, schema bool }

func (c *configChecks) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.faults, "faults", false, "look at the configs alone, and print all faults of each with line and column")
	cmd.Flags().BoolVar(&c.print, "print", false, "instead, print the config with every default and option spelled out")
	cmd.Flags().BoolVar(&c.schema, "schema", false, "instead, print the JSON Schema of configs, for editors")
	cmd.MarkFlagsMutuallyExclusive("faults", "print", "schema")
}

// check looks at configs alone; done says that this was all that was asked for.
func (c *configChecks) check(a *app, args []string, from configFlags, lines bool) (done bool, err error) {
	switch {
	case c.schema && len(args) > 0:
		return true, usageError(errors.New("--schema takes no config"))
	case c.schema:
		_, err := a.stdout.Write(config.Schema())
		return true, err
	case len(args) == 0:
		return true, usageError(errors.New("name a config, such as configs/quickstart.yaml"))
	case c.faults:
		return true, a.validate(args, from, lines)
	case len(args) > 1:
		return true, usageError(errors.New("want one config; --faults takes several"))
	case c.print && lines:
		return true, usageError(errors.New("give --print or --json, not both"))
	case c.print:
		return true, a.printConfig(args[0], from)
	}
	return false, nil
}

func (a *app) printConfig(file string, from configFlags) error {
	c, err := from.load(file)
	if err != nil {
		return err
	}
	data, err := c.Marshal()
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(data)
	return err
}

// A verdict is what is found out about a config alone: a JSON line.
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

func (a *app) validate(files []string, from configFlags, lines bool) error {
	var faults []error
	for _, file := range files {
		c, err := from.load(file)
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
