package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

type importFlags struct {
	from, dataset, options, data, out, reader, missing string
	categories, match                                  string
	labels, metrics, accept                            []string
	skip                                               bool
	labelled                                           bool // whether --label was given
	quiet                                              bool // do not report what was skipped
}

// ofFiles stands for a dataset of the questions and gold answers in the files.
const ofFiles = "files"

// matchings are the values of --match.
var matchings = []string{interchange.ByEither, interchange.ByQuestion}

func newImportCommand(a *app) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import FILE... --dataset NAME --out DIR [--from FORMAT|LAYOUT.yaml|suggest]",
		Short: "Import answers produced by another tool as a run",
		Long: `Import reads another program's answers to the questions of a dataset. It makes a run
folder with one method for each file, scores it and prints the tables. All verbs that
read runs accept the folder; tables say where the answers come from. FILE may be a
folder of files, or compressed with gzip. The format is detected, or given by --from:

` + importFormats() + `
Any other file needs a layout, a file of about ten lines that says where its parts
are: --from LAYOUT.yaml. --from suggest prints a layout for the file, or writes it to
--out; --dataset improves it. Verdicts in a file become columns of its judges.

An answer is matched to its question by the ids of the dataset or the names of its
release, else by the text of the question in its conversation. Everything else that
the file says about the question is compared with the dataset, and a contradiction is
an error. --match question matches by text if the ids are wrong. --accept allows
fields to differ; answers are scored against the dataset's gold answers in any case.
Categories are the dataset's ids, or names with --categories.

Questions without an answer are left out and counted; with --missing error they are
failed questions, which count as 0. An answer to a question that the dataset does not
have is an error; --skip-unmatched ignores it.

With --dataset files, questions and gold answers are taken from the files, and written
next to the run folder as a dataset of the format jsonl.`,
		Example: `  bench import results.json --from mem0 --dataset locomo --label mem0 --model gpt-4o-mini --out results/runs/mem0
  bench import other.json --from suggest --dataset locomo --out other.yaml
  bench import a.json b.json --from mem0 --dataset locomo --label Nemori --label xMemory --out both`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importFiles(cmd.Context(), args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.from, "from", "", "`format` of the files, the file of a layout, or suggest (default: detected)")
	f.StringVar(&flags.dataset, "dataset", "", "`name` of the dataset with the questions; files takes questions and gold answers from the files")
	f.StringVar(&flags.options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}' (default: the dataset's)")
	dataFlag(cmd, &flags.data)
	f.StringVar(&flags.out, "out", "", "run `folder` to make")
	f.StringArrayVar(&flags.labels, "label", nil, "`label` of a file's method in tables, in the order of the files (default: the file's name)")
	f.StringVar(&flags.reader, "model", "", "`model` that gave the answers (default: not known)")
	f.StringSliceVar(&flags.metrics, "metrics", nil, "metrics to score with, separated by commas (default: those of the dataset that the files allow)")
	categoriesFlag(cmd, &flags.categories)
	f.StringVar(&flags.match, "match", interchange.ByEither, "how answers are matched, `by`: "+strings.Join(matchings, ", "))
	f.StringSliceVar(&flags.accept, "accept", nil, "`fields` that may contradict the dataset: "+strings.Join(interchange.Fields(), ", "))
	f.StringVar(&flags.missing, "missing", "skip", "how to treat questions without an answer: `skip` or error")
	f.BoolVar(&flags.skip, "skip-unmatched", false, "ignore answers to questions that the dataset does not have")
	for flag, values := range map[string][]string{"from": interchange.ImportFormats(), "match": matchings, "accept": interchange.Fields(), "missing": {"skip", "error"}} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("metrics", completeMetrics))
	return cmd
}

// importFormats lists the formats for the help.
func importFormats() string {
	var b strings.Builder
	for _, l := range lists.Filter(interchange.Layouts(), (*interchange.Layout).Imports) {
		fmt.Fprintf(&b, "  %-18s %s\n", l.Name, l.Doc)
	}
	return b.String()
}

func (f *importFlags) check(files []string) error {
	var faults []error
	fault := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(f.dataset == "", "--dataset is missing")
	fault(f.out == "", "--out is missing")
	faults = append(faults, interchange.CheckFrom(f.from, interchange.ImportFormats()), oneOf("--match", f.match, matchings), oneOf("--missing", f.missing, []string{"skip", "error"}))
	for _, field := range f.accept {
		faults = append(faults, oneOf("--accept", field, interchange.Fields()))
	}
	fault(f.dataset == ofFiles && f.options != "", "--dataset files takes no --options")
	fault(len(f.labels) > 0 && len(f.labels) != len(files), "--label: want one for each file, or none; got %d labels and %s", len(f.labels), plural(len(files), "file", "files"))
	f.labelled = len(f.labels) > 0
	for _, file := range files[min(len(f.labels), len(files)):] {
		f.labels = append(f.labels, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	for i, l := range f.labels {
		fault(l == "", "--label is empty")
		fault(slices.Contains(f.labels[:i], l), "two files have the label %q; give each its own with --label", l)
	}
	_, err := metricSpecs(f.metrics)
	return errors.Join(append(faults, err)...)
}

// suggestion is the value of --from that requests a layout.
const suggestion = "suggest"

// suggestLayout proposes a layout for a file.
func (a *app) suggestLayout(ctx context.Context, path string, flags importFlags) ([]byte, error) {
	var golds []record.Gold
	if flags.dataset != "" && flags.dataset != ofFiles {
		into, err := a.openImport(ctx, flags)
		if err != nil {
			return nil, err
		}
		defer into.Close()
		if golds, err = into.Golds(); err != nil {
			return nil, err
		}
	}
	return interchange.Suggest(ctx, path, golds)
}

// printLayout prints the proposed layout of a file, or writes it to --out.
func (a *app) printLayout(ctx context.Context, paths []string, flags importFlags) error {
	if len(paths) != 1 {
		return usageError(fmt.Errorf("--from %s takes one file, not %d", suggestion, len(paths)))
	}
	data, err := a.suggestLayout(ctx, paths[0], flags)
	switch {
	case err != nil:
		return usageError(err)
	case flags.out == "":
		_, err = a.stdout.Write(data)
		return err
	}
	return record.WriteBytes(flags.out, data)
}

// proposing adds a layout for a file of unknown format to a usage error.
func (a *app) proposing(ctx context.Context, err error, flags importFlags) error {
	if unknown, ok := errors.AsType[*interchange.UnknownFormatError](err); ok {
		if data, suggestErr := a.suggestLayout(ctx, unknown.File, flags); suggestErr == nil {
			err = fmt.Errorf("%w\nits layout may be this; '--from %s --out LAYOUT.yaml' writes it, and '--from LAYOUT.yaml' reads files with it:\n\n%s", err, suggestion, data)
		} else {
			err = fmt.Errorf("%w; no layout can be suggested: %w", err, suggestErr)
		}
	}
	return usageError(err)
}

func (a *app) importFiles(ctx context.Context, paths []string, flags importFlags) error {
	if flags.from == suggestion {
		return a.printLayout(ctx, paths, flags)
	}
	if err := flags.check(paths); err != nil {
		return usageError(err)
	}
	if flags.dataset == ofFiles {
		path, err := questionsOf(ctx, paths, flags)
		if err != nil {
			return a.proposing(ctx, err, flags)
		}
		flags.dataset, flags.options = jsonl.Spec.Name, fmt.Sprintf("{files: [%q]}", path)
	}
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return err
	}
	defer into.Close()
	golds, err := into.Golds()
	if err != nil {
		return err
	}
	options := interchange.MatchOptions{By: flags.match, Accept: flags.accept, Categories: into.Dataset().Categories}
	if options.Vocabulary, err = openCategories(ctx, flags.categories); err != nil {
		return err
	}
	var cells []runners.ImportedCell
	var faults []error
	var readers, names []string
	for i, path := range paths {
		c, head, err := a.importFile(ctx, path, flags, golds, options)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Label = flags.labels[i]
		if head != nil {
			if !flags.labelled {
				c.Label = cmp.Or(head.Name, c.Label)
			}
			readers, names = lists.AddNew(readers, head.Model), lists.AddNew(names, head.Metrics...)
			if head.SHA256 != "" && head.SHA256 != into.Dataset().SHA256 {
				a.log().Warn(path + ": its answers belong to other data; the SHA-256 of the dataset differs")
			}
		}
		faults, cells = append(faults, err), append(cells, c)
	}
	if err := errors.Join(faults...); err != nil {
		return a.proposing(ctx, err, flags)
	}
	for i := range cells {
		if err := findSources(ctx, into, golds, &cells[i]); err != nil {
			return err
		}
	}
	if flags.reader == "" && len(readers) == 1 {
		flags.reader = readers[0]
	}
	return a.writeImport(ctx, into, flags, names, cells)
}

// writeImport writes a run of imported cells, scores it with the metrics of the flags, else
// those of the files, else those of the dataset, and prints its table.
func (a *app) writeImport(ctx context.Context, into *runners.Import, flags importFlags, names []string, cells []runners.ImportedCell) error {
	if len(names) == 0 {
		names = importMetrics(flags.dataset, cells)
	}
	if len(flags.metrics) > 0 {
		names = flags.metrics
	}
	specs, err := metricSpecs(names)
	if len(flags.metrics) == 0 { // those that the dataset's categories allow
		specs = lists.Filter(specs, func(m *metrics.Spec) bool { return runners.CheckCategories(into.Dataset(), []*metrics.Spec{m}) == nil })
	}
	if err = cmp.Or(err, runners.CheckCategories(into.Dataset(), specs)); err != nil {
		return usageError(err)
	}
	folder, header, err := into.Write(flags.out, flags.reader, lists.Map(specs, func(m *metrics.Spec) string { return m.Name }), cells)
	if err != nil {
		return usageError(err)
	}
	scored, err := a.scoreRun(ctx, folder, header, judgedMetrics(header, header.Metrics))
	if err != nil {
		return err
	}
	return a.printRun(scored, false)
}

// importMetrics returns the metrics of a dataset that imported answers allow.
func importMetrics(dataset string, cells []runners.ImportedCell) []string {
	return lists.Filter(suite.Plugins().MetricsOf(config.Entry{Use: dataset}), func(name string) bool {
		m, err := metricsuite.Find(name)
		return err == nil && slices.ContainsFunc(cells, func(c runners.ImportedCell) bool { return !slices.Contains(c.From.Without, m.Of) })
	})
}

// openImport opens the dataset that the answers belong to.
func (a *app) openImport(ctx context.Context, flags importFlags) (*runners.Import, error) {
	at := slices.IndexFunc(datasetsuite.All(), func(s *datasets.Spec) bool { return s.Name == flags.dataset })
	if at < 0 {
		return nil, usageError(fmt.Errorf("--dataset: %s", suggest.Unknown("dataset", flags.dataset, datasetNames(datasetsuite.All()))))
	}
	spec := datasetsuite.All()[at]
	options := spec.Options
	if flags.options != "" {
		var err error
		if options, err = decodeOptions(spec, flags.options); err != nil {
			return nil, usageError(err)
		}
	}
	dir, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return nil, usageError(err)
	}
	config := &config.Config{Seed: 1, Base: ".", Datasets: []config.Entry{{Use: spec.Name, Label: spec.Name, Options: options}}}
	into, err := runners.OpenImport(ctx, config, suite.Plugins(), runners.Env{
		DataDir: dir, Now: time.Now, Log: a.log(), Binary: binary(), Argv: a.argv, Getenv: a.env,
	})
	if err != nil && ctx.Err() == nil {
		err = usageError(err)
	}
	return into, err
}

// refuseImported returns an error for a folder that import made, as it has no config to
// run.
func refuseImported(file string) error {
	dir := filepath.Dir(file)
	if !isRun(dir) {
		return nil
	}
	header, err := record.ReadHeader(dir)
	if err != nil || !header.Imported() {
		return nil //nolint:nilerr // whoever reads the config says what is wrong with the folder
	}
	return fmt.Errorf("%s holds imported answers, which cannot be run or resumed; 'bench import' makes the folder anew", dir)
}
