package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets/jsonl"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

type importFlags struct {
	from, dataset, options, data, out, reader, missing string
	categories, match                                  string
	labels, metrics, accept                            []string
	skip                                               bool
	quiet                                              bool // do not report what was skipped
}

const (
	ofFiles    = "files"   // the dataset of the questions and gold answers in the files
	suggestion = "suggest" // the value of --from that requests a layout
)

var (
	matchings = []string{interchange.ByEither, interchange.ByQuestion}
	missings  = []string{"skip", "error"}
)

func newImportCommand(a *app) *cobra.Command {
	var flags importFlags
	layouts := lists.Filter(interchange.Layouts(), (*interchange.Layout).Imports)
	formats := lists.Map(layouts, func(l *interchange.Layout) string { return fmt.Sprintf("  %-18s %s\n", l.Name, l.Doc) })
	cmd := &cobra.Command{
		Use:   "import FILE... --dataset NAME --out DIR [--from FORMAT|LAYOUT.yaml|suggest]",
		Short: "Import answers produced by another tool as a run",
		Long: `Import reads another program's answers to the questions of a dataset. It makes a run
folder with one method for each file, scores it and prints the results. All verbs that
read runs accept the folder; tables say where the answers come from. FILE may be a
folder of files, or compressed with gzip. The format is detected, or given by --from:

` + strings.Join(formats, "") + `
Any other file needs a layout, which --from suggest proposes. docs/interchange.md
describes layouts, how answers are matched to questions, and what may contradict.

With --dataset files, questions and gold answers are taken from the files, and written
next to the run folder as a dataset of the format jsonl.`,
		Example: `  bench import results.json --from mem0 --dataset locomo --label mem0 --model gpt-4o-mini --out results/runs/mem0
  bench import other.json --from suggest --dataset locomo --out other.yaml
  bench import a.json b.json --from mem0 --dataset locomo --label Nemori --label xMemory --out both`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run := a.importFiles
			if flags.from == suggestion {
				run = a.suggestLayout
			}
			return usageError(run(cmd.Context(), args, flags))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.from, "from", "", "`format` of the files, the file of a layout, or suggest (default: detected)")
	flags.addDataset(cmd)
	f.StringArrayVar(&flags.labels, "label", nil, "`label` of a file's method in tables, in the order of the files (default: the file's name)")
	f.StringVar(&flags.reader, "model", "", "`model` that gave the answers (default: not known)")
	metricsFlag(cmd, &flags.metrics, "metrics to score with, separated by commas (default: those of the dataset that the files allow)")
	categoriesFlag(cmd, &flags.categories)
	choiceFlag(cmd, &flags.match, "match", interchange.ByEither, matchings, "how answers are matched, `by`: "+strings.Join(matchings, ", "))
	f.StringSliceVar(&flags.accept, "accept", nil, "`fields` that may contradict the dataset: "+strings.Join(interchange.Fields(), ", "))
	choiceFlag(cmd, &flags.missing, "missing", "skip", missings, "how to treat questions without an answer: `skip`, or error, which counts 0")
	f.BoolVar(&flags.skip, "skip-unmatched", false, "ignore answers to questions that the dataset does not have")
	completeFlag(cmd, "from", interchange.ImportFormats())
	completeFlag(cmd, "accept", interchange.Fields())
	return cmd
}

// addDataset adds the flags of the dataset that is answered, and of the run.
func (f *importFlags) addDataset(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dataset, "dataset", "", "`name` of the dataset with the questions")
	optionsFlag(cmd, &f.options)
	dataFlag(cmd, &f.data)
	cmd.Flags().StringVar(&f.out, "out", "", "run `folder` to make")
}

func (f *importFlags) check(files []string) error {
	faults := fault.List{interchange.CheckFrom(f.from, interchange.ImportFormats())}
	faults.Want(f.dataset != "", "--dataset is missing, want the dataset that was answered, or files")
	faults.Want(f.out != "", "--out is missing, want a run folder to make")
	for _, field := range f.accept {
		faults = append(faults, oneOf("--accept", field, interchange.Fields()))
	}
	faults.Want(f.dataset != ofFiles || f.options == "", "--dataset files takes no --options")
	faults.Want(len(f.labels) == 0 || len(f.labels) == len(files), "--label: want one for each file, or none; got %d labels and %d files", len(f.labels), len(files))
	_, err := metrics.FindAll(f.metrics, metricsuite.Find)
	return errors.Join(append(faults, err)...)
}

// suggestLayout prints a proposed layout of a file, or writes it to --out.
func (a *app) suggestLayout(ctx context.Context, paths []string, flags importFlags) error {
	if len(paths) != 1 {
		return fmt.Errorf("--from %s takes one file, not %d", suggestion, len(paths))
	}
	var golds []record.Gold
	if flags.dataset != "" && flags.dataset != ofFiles {
		into, err := a.openImport(ctx, flags)
		if err != nil {
			return err
		}
		defer into.Close()
		golds = into.Golds
	}
	data, err := interchange.Suggest(ctx, paths[0], golds)
	if err == nil && flags.out != "" {
		return record.WriteBytes(flags.out, data)
	}
	_, writeErr := a.stdout.Write(data)
	return errors.Join(err, writeErr)
}

func (a *app) importFiles(ctx context.Context, paths []string, flags importFlags) error {
	if err := flags.check(paths); err != nil {
		return err
	}
	if flags.dataset == ofFiles {
		path, err := writeQuestions(ctx, paths, flags)
		if err != nil {
			return err
		}
		flags.dataset, flags.options = jsonl.Spec.Name, fmt.Sprintf("{files: [%q]}", path)
	}
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return err
	}
	defer into.Close()
	options := interchange.MatchOptions{By: flags.match, Accept: flags.accept, Categories: into.Dataset().Categories}
	if options.Vocabulary, err = openCategories(ctx, flags.categories); err != nil {
		return err
	}
	var cells []runners.ImportedCell
	var faults []error
	var readers, names []string
	for i, path := range paths {
		c, head, err := a.importFile(ctx, path, flags, into.Golds, options)
		c.Label = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if head != nil {
			c.Label = cmp.Or(head.Name, c.Label)
			readers, names = lists.AddNew(readers, head.Model), lists.AddNew(names, head.Metrics...)
			if head.SHA256 != "" && head.SHA256 != into.Dataset().SHA256 {
				a.log.Warn(path + ": its answers belong to other data; the SHA-256 of the dataset differs")
			}
		}
		if len(flags.labels) > 0 {
			c.Label = flags.labels[i]
		}
		if c.Label == "" || slices.ContainsFunc(cells, func(other runners.ImportedCell) bool { return other.Label == c.Label }) {
			err = cmp.Or(err, fmt.Errorf("%s: its label %q is empty or taken; give each file its own with --label", path, c.Label))
		}
		faults, cells = append(faults, err), append(cells, c)
	}
	if err := cmp.Or(ctx.Err(), errors.Join(faults...)); err != nil {
		return err
	}
	if err := into.FindSources(ctx, cells); err != nil {
		return err
	}
	if flags.reader == "" && len(readers) == 1 {
		flags.reader = readers[0]
	}
	specs, err := importSpecs(flags, names, cells, into.Dataset())
	if err != nil {
		return err
	}
	return a.writeImport(ctx, into, flags.out, flags.reader, specs, cells)
}

// writeQuestions writes the questions and gold answers of files as a dataset next to the run
// folder, and returns its path.
func writeQuestions(ctx context.Context, paths []string, flags importFlags) (string, error) {
	files, err := lists.Try(paths, func(path string) (interchange.File, error) { return interchange.Read(ctx, flags.from, path) })
	if err != nil {
		return "", err
	}
	data, err := interchange.Questions(files)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Clean(flags.out) + ".questions.jsonl")
	if err != nil {
		return "", err
	}
	return path, record.WriteBytes(path, data)
}

// importFile reads the answers of a file and matches them to their questions. The head
// is that of the program's own format, else nil.
func (a *app) importFile(ctx context.Context, path string, flags importFlags, golds []record.Gold, o interchange.MatchOptions) (c runners.ImportedCell, head *interchange.PredictionsHead, err error) {
	file, err := interchange.Read(ctx, flags.from, path)
	if err != nil {
		return c, nil, err
	}
	m := interchange.Match(golds, &file, o)
	if err := m.Err(path, flags.skip); err != nil {
		return c, nil, err
	}
	if m.Missing == len(golds) {
		return c, nil, fmt.Errorf("%s has no answer to a question of %s; answers read: %d", path, flags.dataset, len(file.Answers))
	}
	c = runners.ImportedCell{
		From:    record.Imported{File: filepath.Base(path), Format: file.Format, SHA256: file.SHA256, Without: []metrics.Part{metrics.Evidence}},
		Answers: make([]*scored.Request, len(golds)), Judges: file.Judges,
	}
	if len(m.Accepted) > 0 {
		c.From.Accepted = m.Accepted
	}
	if h := file.Head; h != nil { // the format names the turns that blocks come from
		c.From.Without, c.Tokenizer, c.Options, c.Prompts, c.Seed = nil, h.Tokenizer, h.Options, h.Prompts, h.Seed
	}
	usage := true
	for i, answer := range m.Answers {
		switch {
		case answer != nil:
			c.Answers[i] = &answer.Request
			for j := range answer.Evidence { // most files do not name what answers were made from
				answer.Evidence[j].Name = cmp.Or(answer.Evidence[j].Name, "block "+strconv.Itoa(j+1))
			}
			usage = usage && (answer.Record.Usage != nil || answer.Record.Status != record.OK)
		case flags.missing == "error":
			c.Answers[i] = &scored.Request{Record: record.Record{
				Status: record.Error, Attempts: 1, Error: &record.Failure{Kind: "answer", Message: filepath.Base(path) + " has no answer to this question"},
			}}
		}
	}
	if !usage {
		c.From.Without = append(c.From.Without, metrics.Usage)
	}
	if flags.quiet {
		return c, file.Head, nil
	}
	remarks := append(lists.Map(file.Ignored, func(what string) string { return what + " are ignored" }), m.Remarks()...)
	if m.Missing > 0 {
		remarks = append(remarks, fmt.Sprintf("%d of %d questions have no answer and %s", m.Missing, len(golds), map[string]string{
			"skip": "are left out; the means are over the others", "error": "count as failed",
		}[flags.missing]))
	}
	for _, text := range remarks {
		a.log.Warn(path + ": " + text)
	}
	return c, file.Head, nil
}

// importSpecs returns the metrics of the flags, else of those that the files name, else of
// those of the dataset, the ones that its categories allow.
func importSpecs(flags importFlags, names []string, cells []runners.ImportedCell, d record.Dataset) ([]*metrics.Spec, error) {
	if len(flags.metrics) > 0 {
		specs, err := metrics.FindAll(flags.metrics, metricsuite.Find)
		return specs, cmp.Or(err, runners.CheckCategories(d, specs))
	}
	if len(names) == 0 {
		names = importMetrics(flags.dataset, cells)
	}
	specs, err := metrics.FindAll(names, metricsuite.Find)
	return lists.Filter(specs, func(m *metrics.Spec) bool { return runners.CheckCategories(d, []*metrics.Spec{m}) == nil }), err
}

// importMetrics returns the metrics of a dataset that imported answers allow.
func importMetrics(dataset string, cells []runners.ImportedCell) []string {
	return lists.Filter(suite.Plugins().MetricsOf(config.Entry{Use: dataset}), func(name string) bool {
		m, err := metricsuite.Find(name)
		return err == nil && slices.ContainsFunc(cells, func(c runners.ImportedCell) bool { return !slices.Contains(c.From.Without, m.Of) })
	})
}

// writeImport writes a run of imported cells, scores it and prints it.
func (a *app) writeImport(ctx context.Context, into *runners.Import, out, reader string, specs []*metrics.Spec, cells []runners.ImportedCell) error {
	folder, header, err := into.Write(out, reader, lists.Map(specs, func(m *metrics.Spec) string { return m.Name }), cells)
	if err != nil {
		return usageError(err)
	}
	r, err := a.scoreRun(ctx, folder, header, runners.JudgedMetrics(header, header.Metrics))
	if err != nil {
		return err
	}
	return a.printRun(r, false)
}

// openImport opens the dataset that the answers belong to.
func (a *app) openImport(ctx context.Context, flags importFlags) (*runners.Import, error) {
	spec, err := findDataset(flags.dataset)
	if err != nil {
		return nil, fmt.Errorf("--dataset: %w", err)
	}
	options := spec.Options
	if flags.options != "" {
		if options, err = decodeOptions(spec, flags.options); err != nil {
			return nil, usageError(err)
		}
	}
	env, err := a.runEnv(flags.data)
	if err != nil {
		return nil, err
	}
	config := &config.Config{Seed: 1, Base: ".", Datasets: []config.Entry{{Use: spec.Name, Label: spec.Name, Options: options}}}
	into, err := runners.OpenImport(ctx, config, suite.Plugins(), env)
	return into, usageError(err)
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

func newExportCommand(a *app) *cobra.Command {
	var (
		to, out string
		methods []string
		edits   editsFlag
	)
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs in the format of another tool",
		Long: `Export writes the answers of scored runs, or their means, in formats of other tools:

` + formatList() + `
A format of one file goes to stdout or to --out; the others need a folder as --out.
docs/interchange.md describes their contents.`,
		Example: `  bench export RUN --format jsonl --out records.jsonl
  bench export RUN --format mem0 --out results --methods "Naive RAG"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError(a.export(args, to, out, methods, edits))
		},
	}
	choiceFlag(cmd, &to, "format", "", interchange.ExportFormats(), "`format`: "+strings.Join(interchange.ExportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`file` to write instead of stdout, or the folder of a format of several files")
	cmd.Flags().StringArrayVar(&methods, "methods", nil, "write only the methods of these `labels`; may be repeated")
	edits.add(cmd)
	return cmd
}

func formatList() string {
	var b strings.Builder
	for _, f := range interchange.Formats() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Doc)
		if len(f.Lost) > 0 {
			fmt.Fprintf(&b, "  %-11s lost on reimport: %s\n", "", strings.Join(f.Lost, ", "))
		}
	}
	return b.String()
}

func (a *app) export(dirs []string, to, out string, methods []string, edits editsFlag) error {
	if to == "" {
		return fmt.Errorf("--format is missing, want one of %s", strings.Join(interchange.ExportFormats(), ", "))
	}
	format, err := interchange.Find(to)
	if err != nil {
		return err
	}
	if out == "" && format.Folder {
		return fmt.Errorf("--out is missing: %s is %s", to, format.Doc)
	}
	if err := checkFree(out, format.Folder); err != nil {
		return err
	}
	runs, err := scoredRuns(dirs, edits) // for its faults
	if err != nil {
		return err
	}
	opened, err := lists.Try(runs, func(r *report.Run) (*scored.Run, error) {
		if note := r.Header.EditedNote(); note != "" {
			a.log.Warn(string(r.Folder) + " was " + note)
		}
		return scored.Open(r.Folder, r.Header)
	})
	if err != nil {
		return err
	}
	e, err := interchange.New(opened, methods, metricsuite.Find, binary().Version)
	if err != nil {
		return err
	}
	if !format.Folder {
		return a.writeOut(out, func(w io.Writer) error { return format.Write(e, w) })
	}
	_, err = format.WriteFolder(e, out, a.writeOut)
	return err
}
