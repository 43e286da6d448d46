package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/category"
	"recallbench/internal/files/strictyaml"
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
side.

With --predictions, it scores the lines of a file instead: JSON objects with "id",
"category", "prediction" and "gold". For each it prints a JSON line with a key for each
metric. Categories are the dataset's numbers, or names with --categories.`,
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
			return withLocked(args[0], edits, func(folder record.Folder, header record.Header) error {
				return a.scoreFolder(cmd.Context(), folder, header, names, keys)
			})
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
	choiceFlag(cmd, &f.key, "key", "", errata.Key("").Values(), "answer `key` that counts everywhere else: "+strings.Join(errata.Key("").Values(), ", ")+" (default: published)")
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
	env, err := a.dataEnv(flags.data)
	if err != nil {
		return err
	}
	var options errata.Options
	if flags.options != "" {
		if len(flags.errata) == 0 {
			return errors.New("--options sets how errata are applied; name them with --errata")
		}
		doc, err := strictyaml.Parse("--options", []byte(flags.options))
		if err != nil {
			return err
		}
		if doc.Root().Decode(&options); doc.Err() != nil {
			return doc.Err()
		}
	}
	overlays, err := errata.OpenAll(ctx, env, flags.errata)
	if err != nil {
		return err
	}
	notes, err := runners.SetErrata(folder, header, overlays, errata.Key(flags.key), options, remove)
	for _, note := range notes {
		a.log.Warn(note)
	}
	return err
}

// metricsFlag adds a flag that names metrics.
func metricsFlag(cmd *cobra.Command, names *[]string, usage string) {
	cmd.Flags().StringSliceVar(names, "metrics", nil, usage)
	completeFlag(cmd, "metrics", lists.Map(metricsuite.All(), func(m *metrics.Spec) string { return m.Name }))
}

// scoreFolder scores a locked run folder.
func (a *app) scoreFolder(ctx context.Context, folder record.Folder, header record.Header, names []string, keys keyFlags) error {
	if len(names) == 0 {
		names = header.Metrics
	}
	if keys.given() {
		if err := a.setErrata(ctx, folder, &header, keys); err != nil {
			return usageError(err)
		}
	}
	if _, err := a.scoreRun(ctx, folder, header, names); err != nil {
		return err
	}
	a.log.Info(fmt.Sprintf("scored; 'bench table %s' prints the tables", folder))
	return nil
}

// withLocked calls do with a run folder that no other process changes meanwhile. Edits
// accepted now stay accepted.
func withLocked(dir string, edits editsFlag, do func(record.Folder, record.Header) error) error {
	folder, header, unlock, err := record.OpenLocked(dir, edits.options()...)
	if err != nil {
		return usageError(err)
	}
	if edits.accept && len(header.Accepted) > 0 {
		if err := folder.Seal(&header, nil); err != nil {
			return errors.Join(usageError(err), unlock())
		}
	}
	return errors.Join(do(folder, header), unlock())
}

// A freshRun is a run that has just been scored.
type freshRun struct {
	*report.Run
	spent []record.Spent
}

// scoreRun writes the scores of a run, and adds the metric words to metrics that fall with
// length. The header names the metrics, so that tables show the last scores.
func (a *app) scoreRun(ctx context.Context, folder record.Folder, header record.Header, names []string) (*freshRun, error) {
	specs, err := metrics.FindAll(names, metricsuite.Find)
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
	run := &freshRun{report.NewRun(folder, header), spent}
	rows, err := report.Summarize(run.Run, spent, reportOptions())
	if err != nil {
		return nil, err
	}
	return run, record.WriteSummary(string(folder), rows)
}

// reportOptions returns the options that every report needs; verbs fill in the rest.
func reportOptions() report.Options {
	return report.Options{Metric: metricsuite.Find}
}

// printRun prints the results of a run that has just been scored, on one screen. As JSON
// it prints the tables: those of its datasets, the metrics by category, and the
// published ones that its config names beside the measured ones.
func (a *app) printRun(r *freshRun, asJSON bool) error {
	if !asJSON {
		return a.printScreen(r)
	}
	o := reportOptions()
	o.By, o.Published = report.Category, configured([]*report.Run{r.Run})
	doc, err := report.Build([]*report.Run{r.Run}, o)
	if err != nil {
		return err
	}
	for _, t := range doc.Tables {
		if err := a.event("table", map[string]any{"table": t}); err != nil {
			return err
		}
	}
	return nil
}

// printScreen prints the results of a scored run in at most 25 lines.
func (a *app) printScreen(r *freshRun) error {
	name := string(r.Folder)
	if newest, err := record.Newest(pastRuns); err == nil && filepath.Clean(newest) == filepath.Clean(name) {
		name = latest
	}
	tables := "all metrics, intervals and categories"
	if len(configured([]*report.Run{r.Run})) > 0 {
		tables = "all metrics, intervals, categories and published numbers"
	}
	return report.WriteScreen(a.stdout, r.Run, terminalWidth(a.stdout), report.ScreenOptions{Options: reportOptions(), Spent: r.spent, Next: [][2]string{
		{"bench view " + name, "every question, answer and piece of evidence in the browser"},
		{"bench table " + name, tables},
	}})
}

// terminalWidth returns the width of w if it is a terminal, else 100.
func terminalWidth(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// configured returns the published tables that the runs' configs name. Runs without
// answers have nothing to compare with them.
func configured(runs []*report.Run) (names []string) {
	for _, r := range runs {
		if len(r.Header.Published) == 0 {
			continue
		}
		for score, err := range r.Scores {
			if err != nil || score.Status == record.OK { // unreadable scores are reported where they are printed
				names = lists.AddNew(names, r.Header.Published...)
				break
			}
		}
	}
	return names
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
	if err != nil {
		err = usageError(fmt.Errorf("--categories: %w", err))
	}
	return v, err
}

func (a *app) scorePredictions(ctx context.Context, file string, names []string, categories string) error {
	if len(names) == 0 {
		return usageError(errors.New("--predictions needs --metrics, such as --metrics f1@mem0,bleu1@nltk"))
	}
	specs, err := metrics.FindAll(names, metricsuite.Find)
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
	return usageError(interchange.ScoreLines(ctx, in, name, specs, v, a.stdout))
}
