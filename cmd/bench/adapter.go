package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/adapters"
	"recallbench/internal/backend"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/standin"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/external"
)

func newAdapterCommand(a *app) *cobra.Command {
	return newGroup("adapter", "Measure an external memory system", `An adapter is a program that speaks recallbench-memory/1: it takes a conversation
session by session, and returns the evidence it remembers for a question. The method
'external' runs it. docs/adapters.md is the guide for authors.`,
		newAdapterCheckCommand(a), newAdapterNewCommand(a), newAdapterListCommand(a),
	)
}

func newAdapterListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the ready adapters and whether their systems are installed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ready, err := adapters.Ready()
			if err != nil {
				return err
			}
			return a.printTable("NAME\tINSTALLED\tNEEDS\tTESTED WITH\tWHAT", lists.Map(ready, func(m adapters.Manifest) string {
				state := map[bool]string{true: "yes", false: "no"}[m.Installed(cmd.Context(), a.env)]
				tested := strings.Join(lists.Map(m.Tested, func(t adapters.Tested) string { return t.Library + " " + t.Version }), ", ")
				return strings.Join([]string{m.Name, state, strings.Join(m.Needs, ", "), cmp.Or(tested, "-"), m.Doc}, "\t")
			}))
		},
	}
}

var isAdapterName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

func newAdapterNewCommand(a *app) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Write a working adapter to start from",
		Long: `New writes a working adapter, a store that finds turns by their words, with its
manifest, a run file and the kit. Replace the store with your system.`,
		Example: "  bench adapter new --lang python mine\n  bench adapter check mine",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			name := filepath.Base(filepath.Clean(dir))
			if !isAdapterName.MatchString(name) {
				return usageError(fmt.Errorf("the folder, which names the adapter, is %q; want letters, digits, - and _ only", name))
			}
			files, err := adapters.Template(language, name)
			if err != nil {
				return usageError(fmt.Errorf("--lang: %w", err))
			}
			for _, file := range slices.Sorted(maps.Keys(files)) {
				if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
					return usageError(fmt.Errorf("%s exists already; name another folder", filepath.Join(dir, file)))
				}
			}
			m, err := adapters.Parse(adapters.ManifestFile, files[adapters.ManifestFile])
			if err == nil {
				err = adapters.Write(dir, files)
			}
			if err != nil {
				return err
			}
			install := strings.Join(lists.Map(m.Install, func(line string) string { return fmt.Sprintf("  (cd %s && %s)\n", dir, line) }), "")
			return a.say("%s holds an adapter. Try it:\n\n%s  bench adapter check %s\n  bench run %s", dir, install, dir, filepath.Join(dir, "run.yaml"))
		},
	}
	cmd.Flags().StringVar(&language, "lang", "python", "language: "+strings.Join(adapters.Languages(), ", "))
	return cmd
}

func newAdapterCheckCommand(a *app) *cobra.Command {
	var model string
	cmd := &cobra.Command{
		Use:   "check (NAME | DIR | RUNFILE | -- COMMAND...)",
		Short: "Check that an adapter follows the protocol",
		Long: `Check runs ten checks against an adapter. A script, which needs no key, answers the
adapter's model calls; with --model, a model does. Each check prints a line: ok, warn,
FAIL, or skip if it does not apply. The exit code is 4 if a check fails.`,
		Example: `  bench adapter check mem0-python
  bench adapter check ./mine
  bench adapter check run.yaml
  bench adapter check -- python3 my_adapter.py`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, base, err := a.checkedAdapter(args, cmd.ArgsLenAtDash() == 0)
			if err == nil {
				err = o.Validate()
			}
			if err != nil {
				return usageError(err)
			}
			return a.checkAdapter(cmd.Context(), o, base, model)
		},
	}
	cmd.Flags().StringVar(&model, "model", standin.Name, "`file` of a model entry that answers in place of the script")
	return cmd
}

// checkedAdapter returns the options of the named adapter, and the folder that
// their paths are relative to.
func (a *app) checkedAdapter(args []string, command bool) (external.Options, string, error) {
	o := external.Defaults()
	switch {
	case command:
		o.Command = args
		return o, ".", nil
	case len(args) > 1:
		return o, "", fmt.Errorf("%s: want one adapter; put a command after --", strings.Join(args, " "))
	}
	if ext := filepath.Ext(args[0]); ext == ".yaml" || ext == ".yml" {
		c, err := loadConfig(args[0])
		if err != nil {
			return o, "", err
		}
		for _, m := range c.Methods {
			if found, ok := m.Options.(external.Options); ok {
				return found, c.Base, nil
			}
		}
		return o, "", fmt.Errorf("%s has no method external", args[0])
	}
	o.Adapter = args[0]
	_, err := adapters.Open(o.Adapter, ".")
	return o, ".", err
}

// openModel opens the models of a file; their calls are recorded as in runs, or not at all.
func (a *app) openModel(ctx context.Context, file string, recorded bool) (doors backend.Doors, end func(), err error) {
	c, err := modelConfig(file, 1)
	if err != nil {
		return doors, nil, usageError(err)
	}
	mode, dir := calls.Off, ""
	if recorded {
		mode, dir = a.recordings(c, runFlags{})
	}
	recorder, err := calls.OpenRecorder(mode, dir, a.log)
	if err != nil {
		return doors, nil, usageError(err)
	}
	entry := c.Models[0]
	i := slices.IndexFunc(suite.Plugins().Models, func(b *backend.Spec) bool { return b.Name == entry.Use })
	doors, err = suite.Plugins().Models[i].Open(ctx, backend.Env{
		Seed: c.Seed, Base: c.Base, Log: a.log, Getenv: a.env, Calls: recorder,
		Limits: limit.NewRegistry(), Budget: budget.New(0, 0), Prices: price.Builtin(),
	}, entry.Options)
	if err != nil {
		return doors, nil, errors.Join(fmt.Errorf("model %s: %w", entry.Label, err), recorder.Close())
	}
	return doors, func() {
		fault := recorder.Close()
		if doors.Close != nil {
			fault = errors.Join(doors.Close(), fault)
		}
		if fault != nil {
			a.log.Warn("closing the models failed", "error", fault)
		}
	}, nil
}

// checkAdapter runs the checks and prints what they find.
func (a *app) checkAdapter(ctx context.Context, o external.Options, base, model string) error {
	templates, err := prompt.Load(external.Spec.Name, external.Spec.Prompts, nil)
	if err != nil {
		return err
	}
	doors, closeModel, err := a.openModel(ctx, model, false)
	if err != nil {
		return err
	}
	defer closeModel()
	env := methods.Env{
		Context: ctx, LLM: meter.Generator(doors.LLM, doors.Tokens, doors.Price), Tokens: doors.Tokens, Prompts: templates,
		Now: time.Now, Seed: 1, Log: a.log, ChatModel: doors.ModelOf(external.Spec.Name), Base: base, Getenv: a.env,
	}
	if doors.Embed != nil {
		env.Embed, env.EmbedModel = meter.Model(doors.Embed, doors.Tokens, doors.Price), doors.Settings["embedder"]
	}
	counts := make(map[external.Status]int)
	err = external.Check(ctx, env, o, func(f external.Finding) {
		counts[f.Status]++
		line := fmt.Sprintf("%-4s  %s  %s: %s", f.Status, f.ID, f.What, strings.ReplaceAll(f.Detail, "\n", "\n            "))
		_, _ = fmt.Fprintln(a.stdout, strings.TrimSuffix(line, ": ")) // the verdict tells of a stdout that is gone
	})
	if err != nil {
		return err
	}
	verdict, failed := "PASS", error(nil)
	if counts[external.Fail] > 0 {
		verdict, failed = "FAIL", withExit(exitGate, errSilent)
	}
	return errors.Join(failed, a.say("external-memory/1: %s (%d ok, %d warn, %d failed, %d skipped)", verdict, counts[external.OK], counts[external.Warn], counts[external.Fail], counts[external.Skipped]))
}
