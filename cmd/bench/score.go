package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/category"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

func newScoreCommand(a *app) *cobra.Command {
	var (
		file       string
		names      []string
		categories string
		edits      editsFlag
		keys       keyFlags
	)
	cmd := &cobra.Command{
		Use:   "score [RUN]",
		Short: "Score a run again, or predictions of another program",
		Long: `Score computes scores.jsonl of a run folder from its records, with the run's metrics
or those of --metrics. It calls no model.

With --errata, the run is scored under each answer key of these errata of its dataset:
published, excluded, corrected and lenient, which 'bench table --keys' prints side by
side. --key selects the one that counts everywhere else (published by default);
--options sets how errata are applied; --errata none removes them.

With --predictions, it scores the lines of a file instead: JSON objects with "id",
"category", "prediction" and "gold". For each it prints a JSON line with a key for each
metric. Categories are the dataset's numbers, or names with --categories: projects name
LoCoMo's categories differently, and f1@locomo has a rule for each.`,
		Example: `  bench score results/runs/20260101T000000Z-quickstart-1a2b3c4d --metrics f1@mem0,exact-match
  bench score RUN --errata locomo-audit,mine.jsonl
  bench score --predictions answers.jsonl --metrics f1@mem0,f1@locomo,bleu1@nltk`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case file != "" && keys.given():
				return usageError(errors.New("--errata, --key and --options are for runs: predictions have their own gold answers"))
			case file != "" && len(args) > 0:
				return usageError(errors.New("give a run folder or --predictions, not both"))
			case file != "":
				return a.scorePredictions(cmd.Context(), file, names, categories)
			case categories != "":
				return usageError(errors.New("--categories is for --predictions: a run has the categories of its dataset"))
			case len(args) == 0:
				return usageError(errors.New("give a run folder, or --predictions FILE"))
			}
			return a.scoreFolder(cmd.Context(), args[0], names, keys, edits)
		},
	}
	cmd.Flags().StringVar(&file, "predictions", "", "`file` of JSON lines to score; - is stdin")
	categoriesFlag(cmd, &categories)
	metricsFlag(cmd, &names, "metrics to score with, separated by commas (default: the run's)")
	keys.add(cmd)
	edits.add(cmd)
	return cmd
}

// keyFlags set which answer keys a run is scored under.
type keyFlags struct {
	errata  []string
	key     string
	options string
	data    string
}

func (f *keyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.errata, "errata", nil, "`names` of errata, or your own .jsonl files, separated by commas; none removes errata")
	choiceFlag(cmd, &f.key, "key", "", errata.Key("").Values(), "answer `key` that counts: "+strings.Join(errata.Key("").Values(), ", "))
	cmd.Flags().StringVar(&f.options, "options", "", "how errata are applied, as `YAML`, such as '{stale: skip}'; with --errata")
	dataFlag(cmd, &f.data)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("errata", cobra.FixedCompletions(errata.Names(), cobra.ShellCompDirectiveDefault)))
}

func (f *keyFlags) given() bool { return len(f.errata) > 0 || f.key != "" || f.options != "" }

// setErrata gives a run the errata and the key of the flags.
func (a *app) setErrata(ctx context.Context, folder record.Folder, header *record.Header, flags keyFlags) error {
	remove := slices.Equal(flags.errata, []string{"none"})
	if remove {
		flags.errata = nil
	}
	dir, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return err
	}
	var options errata.Options
	if flags.options != "" {
		if len(flags.errata) == 0 {
			return errors.New("--options sets how errata are applied; name them with --errata")
		}
		if options, err = decodeYAML("--options", options, flags.options); err != nil {
			return err
		}
	}
	overlays, err := errata.OpenAll(ctx, datasets.Env{Dir: dir, Base: "."}, flags.errata)
	if err != nil {
		return err
	}
	notes, err := runners.SetErrata(folder, header, overlays, errata.Key(flags.key), options, remove)
	for _, note := range notes {
		a.log().Warn(note)
	}
	return err
}

// metricsFlag adds a flag that names metrics.
func metricsFlag(cmd *cobra.Command, names *[]string, usage string) {
	cmd.Flags().StringSliceVar(names, "metrics", nil, usage)
	completeFlag(cmd, "metrics", lists.Map(metricsuite.All(), func(m *metrics.Spec) string { return m.Name }))
}

// metricSpecs finds metrics by name and reports all unknown names.
func metricSpecs(names []string) ([]*metrics.Spec, error) {
	var specs []*metrics.Spec
	var faults []error
	for _, name := range names {
		spec, err := metricsuite.Find(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		specs = append(specs, spec)
	}
	return specs, errors.Join(faults...)
}

// scoreFolder scores a run folder, which it locks.
func (a *app) scoreFolder(ctx context.Context, dir string, names []string, keys keyFlags, edits editsFlag) error {
	folder, header, unlock, err := openLocked(dir, edits.options()...)
	if err != nil {
		return usageError(err)
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if len(names) == 0 {
		names = header.Metrics
	}
	if keys.given() {
		if err := a.setErrata(ctx, folder, &header, keys); err != nil {
			if ctx.Err() == nil {
				err = usageError(err)
			}
			return err
		}
	}
	if _, err := a.scoreRun(ctx, folder, header, names); err != nil {
		return err
	}
	a.log().Info(fmt.Sprintf("scored; 'bench table %s' prints the tables", dir))
	return nil
}

// openLocked locks and opens a run folder; no other process changes it until unlock is
// called. Edits accepted now stay accepted.
func openLocked(dir string, options ...record.Option) (folder record.Folder, h record.Header, unlock func() error, err error) {
	// A folder without a run gets no lock.
	if _, err = record.ReadHeader(dir, options...); err != nil {
		return "", h, nil, err
	}
	if unlock, err = record.Folder(dir).Lock(); err != nil {
		return "", h, nil, err
	}
	folder, h, err = record.Open(dir, options...)
	if err == nil && len(h.Accepted) > 0 && len(options) > 0 {
		err = folder.Seal(&h)
	}
	if err != nil {
		return "", h, nil, errors.Join(err, unlock())
	}
	return folder, h, unlock, nil
}

// A freshRun is a run that has just been scored.
type freshRun struct {
	*report.Run
	spent []record.Spent
}

// scoreRun writes the scores of a run, and adds the metric words to metrics that fall with
// length. The header names the metrics, so that tables show the last scores.
func (a *app) scoreRun(ctx context.Context, folder record.Folder, header record.Header, names []string) (*freshRun, error) {
	specs, err := metricSpecs(names)
	if err != nil {
		return nil, usageError(err)
	}
	for i, m := range slices.Backward(specs) {
		if m.Columns[0].FallsWithLength && !slices.Contains(specs, metrics.WordsSpec) {
			specs, names = slices.Insert(specs, i+1, metrics.WordsSpec), slices.Insert(slices.Clone(names), i+1, metrics.WordsSpec.Name)
			break
		}
	}
	for _, d := range header.Datasets {
		if err := runners.CheckCategories(d, specs); err != nil {
			return nil, usageError(err)
		}
	}
	from, err := folder.Derivation(header)
	if err != nil {
		return nil, err
	}
	scores, spent, err := runners.Score(ctx, folder, header, specs)
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", folder, err)
	}
	header.Scored, header.Metrics = &record.Scored{Digest: scores, From: from}, names
	if err := folder.WriteHeader(header); err != nil {
		return nil, err
	}
	run := &freshRun{runOf(folder, header), spent}
	rows, err := report.Summarize(run.Run, spent, reportOptions())
	if err != nil {
		return nil, err
	}
	return run, record.WriteSummary(string(folder), rows)
}

func categoriesFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "categories", "", "the names of categories in the file: `locomo|mem0|FILE`, a YAML file with lines such as multi-hop: 1; numbers are the dataset's own")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("categories", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return category.Names(), cobra.ShellCompDirectiveDefault
	}))
}

// openCategories opens the names that --categories gives; nil without the flag.
func openCategories(ctx context.Context, name string) (*category.Vocabulary, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no vocabulary is needed
	}
	v, err := category.Open(ctx, name)
	if err != nil && ctx.Err() == nil {
		err = usageError(fmt.Errorf("--categories: %w", err))
	}
	return v, err
}

func (a *app) scorePredictions(ctx context.Context, file string, names []string, categories string) error {
	if len(names) == 0 {
		return usageError(errors.New("--predictions needs --metrics, such as --metrics f1@mem0,bleu1@nltk"))
	}
	specs, err := metricSpecs(names)
	if err != nil {
		return usageError(err)
	}
	v, err := openCategories(ctx, categories)
	if err != nil {
		return err
	}
	in, name := a.stdin, "stdin"
	if file != "-" {
		if err := checkInput(file, "JSON lines of predictions"); err != nil {
			return usageError(err)
		}
		f, err := os.Open(file)
		if err != nil {
			return usageError(err)
		}
		defer f.Close()
		in, name = f, file
	}
	err = interchange.ScoreLines(ctx, in, name, specs, v, a.stdout)
	if err != nil && ctx.Err() == nil {
		return usageError(err)
	}
	return err
}
