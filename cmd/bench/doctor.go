package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

func newDoctorCommand(a *app) *cobra.Command {
	d := doctor{app: a}
	var faults, full, schema bool
	cmd := &cobra.Command{
		Use:   "doctor CONFIG.yaml...",
		Short: "Check what a run needs: models, data, methods",
		Long: `Doctor tries what a config names as 'bench run' would use it: servers, keys, models,
data, recordings, prices, and each method with each model on a tiny memory. It prints a
line for each finding: ok, warn (the run will work, but with limitations) or fail, with
the fix. Nothing is recorded, and no key is printed.

It first prints what trying the methods costs; with --no-calls and in a replay, the stand-in
answers in place of the models. The exit code is the one that the run would have.`,
		Example: `  bench doctor my.yaml
  bench doctor my.yaml --no-calls
  bench doctor --faults configs/*.yaml configs/papers/*.yaml
  bench doctor configs/quickstart.yaml --model configs/models/openai.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case schema && len(args) > 0:
				return usageError(errors.New("--schema takes no config"))
			case schema:
				_, err := a.stdout.Write(config.Schema())
				return err
			case faults && len(args) > 0:
				return d.validate(args)
			case len(args) != 1:
				return usageError(fmt.Errorf("%d configs, want one such as configs/quickstart.yaml; --faults takes several", len(args)))
			}
			c, err := d.from.load(args[0])
			if err != nil {
				return err
			}
			if full {
				data, err := c.Marshal()
				if err == nil {
					_, err = a.stdout.Write(data)
				}
				return err
			}
			return d.examine(cmd.Context(), c)
		},
	}
	d.from.add(cmd)
	d.flags.addInput(cmd)
	cmd.Flags().BoolVar(&faults, "faults", false, "only read the configs, any number of them, and print all faults of each with line and column")
	cmd.Flags().BoolVar(&full, "print", false, "instead, print the config with every default and option spelled out")
	cmd.Flags().BoolVar(&schema, "schema", false, "instead, print the JSON Schema of configs, for editors")
	cmd.Flags().BoolVar(&d.noCalls, "no-calls", false, "call no model; the stand-in answers instead")
	cmd.MarkFlagsMutuallyExclusive("faults", "print", "schema")
	return cmd
}

// A doctor prints findings and counts those that fail.
type doctor struct {
	app     *app
	from    configFlags
	flags   runFlags
	noCalls bool

	missing  int   // findings that fail
	here     int   // those of them about this machine
	noReplay bool  // a replay finds no recordings
	err      error // of printing
}

// validate only reads configs.
func (d *doctor) validate(files []string) error {
	labels := func(entries []config.Entry) string {
		return strings.Join(lists.Map(entries, func(e config.Entry) string { return e.Label }), ", ")
	}
	return usageError(errors.Join(lists.Map(files, func(file string) error {
		c, err := d.from.load(file)
		if err != nil {
			return err
		}
		return d.app.say("%s: ok: %s: datasets %s; methods %s; models %s; %d metrics", file, c.Name, labels(c.Datasets), labels(c.Methods), labels(c.Models), len(c.Metrics))
	})...))
}

// found prints a finding about a model or, without a label, about the run.
func (d *doctor) found(model string, f backend.Finding) {
	if f.Status == backend.Missing {
		d.missing++
	}
	line := fmt.Sprintf("%-4s  ", f.Status)
	if model != "" {
		line += model + ": "
	}
	line += f.What + ": " + f.Detail
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	d.err = errors.Join(d.err, d.app.say("%s", termsafe.Text(line)))
}

// examine tries everything, and returns the error that the run would end with.
func (d *doctor) examine(ctx context.Context, c *config.Config) error {
	env, err := d.app.runEnv(d.flags.data)
	if err != nil {
		return err
	}
	recorder := d.openRecordings(d.app.recordings(c, d.flags))
	defer recorder.Close()
	env.Log, env.Calls = slog.New(slog.DiscardHandler), recorder
	patient := runners.Doctor{
		Config: c, Plugins: suite.Plugins(), NoCalls: d.noCalls, Found: d.found, Env: env,
		Cost: func(methods, models int, l runners.Load) {
			needs := "needs"
			if d.noCalls || recorder.Mode() == calls.Replay { // the stand-in answers
				needs = "would need"
			}
			d.found("", backend.Finding{What: "cost", Status: backend.Good, Detail: fmt.Sprintf("trying %s with %s %s %s", report.Plural(methods, "method"), report.Plural(models, "model"), needs, costText(l))})
		},
	}
	found, err := patient.Examine(ctx)
	if ctx.Err() != nil {
		return withExit(exitInterrupted, errors.New("interrupted"))
	}
	if err != nil {
		return usageError(err)
	}
	return errors.Join(d.err, d.verdict(found))
}

// verdict returns an error for what is missing, with the exit code of the run.
func (d *doctor) verdict(found runners.Diagnosis) error {
	err := fmt.Errorf("%s failed", report.Plural(d.missing, "check"))
	switch {
	case d.missing == 0:
		return nil
	case found.Config > 0 || d.here > 0:
		return withExit(exitUsage, err)
	case d.noReplay:
		return withExit(exitMiss, err)
	case found.Provider != "":
		return withExit(stopCode(found.Provider), err)
	}
	return withExit(exitErrors, err)
}

func costText(l runners.Load) string {
	text := fmt.Sprintf("%s and about %s", report.Plural(l.Calls, "call"), report.Plural(l.Input+l.Output+l.Embedded, "token"))
	switch {
	case l.MostPay != nil:
		return text + fmt.Sprintf(": $%.4f at most", *l.MostPay)
	case l.Pay != nil:
		return text + fmt.Sprintf(": about $%.4f", *l.Pay)
	}
	return text + "; the price is unknown"
}

// openRecordings opens the recordings that a run would read, and reports on them. A replay
// without recordings starts, and misses its first call; the stand-in answers in place of
// recordings.
func (d *doctor) openRecordings(mode calls.Mode, dir string) *calls.Recorder {
	off := calls.NewRecorder(nil, calls.Off)
	_, err := os.Stat(dir)
	if mode == calls.Off || errors.Is(err, fs.ErrNotExist) && mode != calls.Replay { // the run makes them
		return off
	}
	var recorder *calls.Recorder
	if err == nil {
		recorder, err = calls.OpenRecorder(mode, dir, d.app.log)
	}
	if err == nil {
		d.found("", backend.Finding{What: "recordings", Status: backend.Good, Detail: fmt.Sprintf("%s, mode %s", dir, mode)})
		return recorder
	}
	d.found("", backend.Finding{What: "recordings", Status: backend.Missing, Detail: err.Error(), Remedy: "--store or BENCH_CALLS names another folder"})
	if mode == calls.Replay {
		d.noReplay, d.noCalls = true, true
	} else {
		d.here++
	}
	return off
}
