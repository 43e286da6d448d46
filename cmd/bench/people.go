package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
	"recallbench/runners"
)

func newPeopleCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "people",
		Short: "Have people rate the answers of a run",
		Long: `People collects human ratings of how well answers continue the conversation (User
Continuity Satisfaction, 1 to 5) or, with --what correctness, of whether they are right.
Its verbs write sheets, which hide which method gave an answer, and read them back when
filled in. 'bench judge calibrate' compares judges with labels of correctness.
docs/judging.md is the guide.

Only people rate; a rating that nobody gave is missing.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(newPeopleExportCommand(a), newPeopleImportCommand(a))
	return cmd
}

// peopleFlags set what people are asked about a run.
type peopleFlags struct {
	dataset string
	what    string
	out     output
	force   bool
	sheets  string // folder of the sheets to export
	judge   string
	limit   int
	raters  int
	seed    uint64
}

func (f *peopleFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dataset, "dataset", "", "`label` of the dataset, if the run has several")
	cmd.Flags().StringVar(&f.what, "what", string(rating.Continuity), "what people rate: `continuity`, 1 to 5, or correctness")
}

// find checks the flags and names the dataset.
func (f *peopleFlags) find(h record.Header) error {
	labels := lists.Map(h.Datasets, func(d record.Dataset) string { return d.Label })
	switch {
	case f.dataset == "" && len(labels) != 1:
		return fmt.Errorf("the run has %d datasets; name one with --dataset: %s", len(labels), strings.Join(labels, ", "))
	case f.dataset == "":
		f.dataset = labels[0]
	case !slices.Contains(labels, f.dataset):
		return errors.New("the run: " + suggest.Unknown("dataset", f.dataset, labels))
	}
	return oneOf("--what", f.what, []string{string(rating.Continuity), string(rating.Correctness)})
}

// correctness reports whether people rate correctness.
func (f *peopleFlags) correctness() bool { return f.what == string(rating.Correctness) }

// queue returns the name of the queue of answers to label.
func (f *peopleFlags) queue() string { return f.what + "-" + record.FileName(f.dataset) }

// asked returns the path of the file that lists what people were asked.
func (f *peopleFlags) asked(folder record.Folder) string {
	if f.correctness() {
		return folder.Asked(f.dataset + "." + f.what)
	}
	return folder.Asked(f.dataset)
}

// readAsked reads the list of what people were asked.
func (f *peopleFlags) readAsked(folder record.Folder) (asked rating.Asked, err error) {
	data, err := os.ReadFile(f.asked(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return asked, fmt.Errorf("nobody was asked about the %s of %s on %s; 'bench judge people export' does so", f.what, folder, f.dataset)
	}
	if err == nil {
		err = json.Unmarshal(data, &asked)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", f.asked(folder), err)
	}
	return asked, err
}

func newPeopleExportCommand(a *app) *cobra.Command {
	var flags peopleFlags
	cmd := &cobra.Command{
		Use:   "export RUN --out DIR",
		Short: "Write answers for people to rate blind",
		Long: `Export draws questions of a run, spread over its conversations, and writes each rater
a sheet with the answers of all methods: a CSV file for a spreadsheet, in a random order
per rater, with empty columns to fill in, and instructions.

Sheets do not say which method gave an answer, and hide names of methods in answers.
The key stays in the run folder, which raters should not get; sheets cannot be written
there.

With --what correctness, it draws single answers, and raters say whether each is right.
Half of them are accepted and half refused by a judge of the run; without a judge, each
category has the same number. They are spread over the conversations.

The same command writes the same sheets. Once raters were asked about a run, the draw is
fixed, and no file with other content is overwritten.`,
		Example: `  bench judge people export results/runs/mine --out sheets --raters 5
  bench judge people export results/runs/mine --out sheets --dataset dialogre-l --limit 30 --seed 7
  bench judge people export results/runs/mine --out sheets --what correctness --limit 200 --raters 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return usageError(a.exportSheets(args[0], flags, cmd.Flags().Changed("seed")))
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&flags.sheets, "out", "", "`folder` for the sheets, not in the run folder")
	cmd.Flags().IntVar(&flags.limit, "limit", 50, "how many questions to draw, or answers with --what correctness")
	cmd.Flags().StringVar(&flags.judge, "judge", "", "`name` of the judge whose verdicts guide the draw of --what correctness (default: the only one)")
	cmd.Flags().IntVar(&flags.raters, "raters", 1, "how many raters get a sheet")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "seed of the draw and of the orders (default: the run's)")
	return cmd
}

func (a *app) exportSheets(dir string, flags peopleFlags, seeded bool) error {
	if flags.sheets == "" || flags.raters < 1 || flags.raters > 1000 {
		return errors.New("give the folder for the sheets, such as --out sheets, and 1 to 1000 --raters")
	}
	folder, header, unlock, err := openLocked(dir)
	if err != nil {
		return err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if err := errors.Join(flags.find(header), freeForFolder(flags.sheets), a.checkOut(filepath.Join(flags.sheets, "rater-1.csv"))); err != nil {
		return err
	}
	if !seeded {
		flags.seed = header.Seed
	}
	items, err := runners.RatingItems(folder, header, flags.dataset)
	if err != nil {
		return err
	}
	drawn, err := drawItems(folder, header, items, flags)
	if err != nil {
		return err
	}
	var raters []string
	for i := range flags.raters {
		raters = append(raters, fmt.Sprintf("rater-%d", i+1))
	}
	asked := rating.Ask(rating.What(flags.what), drawn, flags.seed, raters, runners.RatingNames(header))
	asked.Run, asked.Dataset, asked.Limit = header.ID, flags.dataset, flags.limit
	if err := writeSheets(asked, flags.asked(folder), flags.sheets); err != nil {
		return err
	}
	questions := lists.Distinct(drawn, func(it rating.Item) string { return it.Sample + "\x00" + it.Request })
	samples := lists.Distinct(drawn, func(it rating.Item) string { return it.Sample })
	_, err = fmt.Fprintf(a.stdout, "answers: %d, to %d questions about %d conversations; raters: %d; answers in which the name of a method or model was hidden: %d\nsheets and instructions: %s\nkey, not for raters: %s\n",
		len(drawn), len(questions), len(samples), len(raters), len(lists.Filter(asked.Items, func(it rating.Item) bool { return it.Hidden })), flags.sheets, flags.asked(folder))
	return err
}

// drawItems draws questions with all their answers or, for correctness, single answers by
// the verdicts of a judge. It saves the latter as a queue of the run with their weights.
func drawItems(folder record.Folder, h record.Header, items []rating.Item, flags peopleFlags) (drawn []rating.Item, err error) {
	answers := make(map[note.Subject][]rating.Item)
	of := func(it rating.Item) note.Subject {
		if flags.correctness() {
			return it.Subject
		}
		return note.Subject{Sample: it.Sample, Request: it.Request}
	}
	for _, it := range items {
		answers[of(it)] = append(answers[of(it)], it)
	}
	draw := note.Random
	from := lists.Map(lists.Distinct(items, of), func(s note.Subject) note.Item { return note.Item{Subject: s} })
	if flags.correctness() {
		draw = note.Stratified
		if from, err = judgedItems(folder, h, flags.judge); err != nil {
			return nil, err
		}
		from = lists.Filter(from, func(it note.Item) bool { return answers[it.Subject] != nil })
	}
	q, err := note.NewQueue(flags.queue(), from, draw, flags.limit, flags.seed)
	if err != nil {
		return nil, err
	}
	if q.Blind = true; flags.correctness() && !slices.Contains(note.Queues(folder), q.Name) {
		err = q.Write(folder)
	}
	for _, it := range q.Items {
		drawn = append(drawn, answers[it.Subject]...)
	}
	return drawn, err
}

// judgedItems returns the answers of a run by the verdicts of a judge, or by category if
// the run was not judged.
func judgedItems(folder record.Folder, h record.Header, name string) (items []note.Item, err error) {
	if len(h.AllJudges()) > 0 {
		names, err := chooseJudges(h, lists.Filter([]string{name}, func(s string) bool { return s != "" }))
		if err != nil {
			return nil, err
		}
		if len(names) > 1 {
			return nil, fmt.Errorf("the run has several judges; name one with --judge: %s", strings.Join(names, ", "))
		}
		name = names[0]
	}
	rows, err := runners.JudgedRows(folder, h)
	for _, r := range rows {
		for _, a := range r.Answers {
			x, judged := a.Score(name, judge.Majority)
			if a.Failed || name != "" && !judged {
				continue
			}
			stratum := a.Category
			if name != "" {
				stratum = map[bool]string{true: "accepted", false: "refused"}[x > 0.5]
			}
			items = append(items, note.Item{Subject: a.Subject, Answer: a.SHA256, Stratum: stratum})
		}
	}
	return items, err
}

// writeSheets writes the key to a path, and sheets with instructions into a folder. It
// never overwrites a file with other content, which may hold ratings.
func writeSheets(asked rating.Asked, path, dir string) error {
	var key bytes.Buffer
	if err := jsonout.Indented(&key, asked); err != nil {
		return err
	}
	instructions, err := asked.Instructions()
	if err != nil {
		return err
	}
	files := map[string][]byte{path: key.Bytes(), filepath.Join(dir, "instructions.txt"): instructions}
	for _, r := range asked.Raters {
		if files[filepath.Join(dir, r+".csv")], err = asked.Sheet(r); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(files))
	var faults []error
	for _, name := range names {
		have, err := os.ReadFile(name)
		if err == nil && !bytes.Equal(have, files[name]) {
			err = fmt.Errorf("%s has other content: it was drawn with other flags, or a rater filled it in. Use the same flags or another folder, or remove the file to start over", name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(append(faults, os.MkdirAll(dir, 0o755), os.MkdirAll(filepath.Dir(path), 0o755))...); err != nil {
		return err
	}
	for _, name := range names {
		if err := record.WriteBytes(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func newPeopleImportCommand(a *app) *cobra.Command {
	var flags peopleFlags
	cmd := &cobra.Command{
		Use:   "import RUN FILE...",
		Short: "Read, check and summarize the sheets that raters filled in",
		Long: `Import reads sheets that raters filled in, checks them, joins them with the key and
adds them to the run folder. Then it scores the run again with the metric ucs, which
'bench table' shows and 'bench compare --columns ucs' tests, and prints a summary of all
ratings of the run. Importing a sheet again changes nothing.

With --what correctness, the ratings become labels in the notes of the run, under the
rater's name; 'bench judge calibrate' uses them, and 'bench view' shows them.

An empty line is a missing rating. All other faults are reported at once, and then
nothing is stored.`,
		Example: `  bench judge people import results/runs/mine returned/*.csv`,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importSheets(cmd.Context(), args[0], args[1:], flags)
		},
	}
	flags.add(cmd)
	flags.out.add(cmd)
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace an earlier, different rating of the same item by the same rater")
	return cmd
}

func (a *app) importSheets(ctx context.Context, dir string, names []string, flags peopleFlags) error {
	folder, header, unlock, err := openLocked(dir)
	if err != nil {
		return usageError(err)
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if err := flags.find(header); err != nil {
		return usageError(err)
	}
	asked, err := flags.readAsked(folder)
	if err != nil {
		return usageError(err)
	}
	added, err := readSheets(asked, names)
	if err != nil {
		return usageError(err)
	}
	if flags.correctness() {
		err = usageError(flags.addNotes(folder, added))
	} else {
		err = a.addRatings(ctx, folder, header, added, flags)
	}
	if err != nil {
		return err
	}
	return a.printRatings(folder, flags)
}

// readSheets reads returned sheets. It is an error if nothing is filled in.
func readSheets(asked rating.Asked, names []string) (all []rating.Rating, err error) {
	var faults []error
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err == nil {
			var ratings []rating.Rating
			ratings, err = asked.Read(name, data)
			all = append(all, ratings...)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing is filled in: %s", strings.Join(names, ", "))
	}
	return all, nil
}

// addRatings merges ratings of continuity with those of the run, and scores it again.
func (a *app) addRatings(ctx context.Context, folder record.Folder, h record.Header, added []rating.Rating, flags peopleFlags) error {
	path := folder.Ratings(flags.dataset)
	stored, err := readRatings(path)
	if err != nil {
		return usageError(err)
	}
	all, err := rating.Merge(stored, added, flags.force)
	if err != nil {
		return usageError(err)
	}
	if err := folder.Unseal(&h, path); err != nil {
		return err
	}
	if err := record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, all...) }); err != nil {
		return err
	}
	if err := folder.Seal(&h, path, flags.asked(folder)); err != nil {
		return err
	}
	_, err = a.scoreRun(ctx, folder, h, lists.AddNew(slices.Clone(h.Metrics), metrics.UCSSpec.Name))
	return err
}

// readRatings reads the stored ratings.
func readRatings(path string) (all []rating.Rating, err error) {
	for line, err := range record.Lines[rating.Rating](path) {
		if err != nil {
			return nil, err
		}
		all = append(all, line.Value)
	}
	return all, nil
}

// addNotes turns labels of correctness into notes, except for those that the run has.
func (f *peopleFlags) addNotes(folder record.Folder, added []rating.Rating) error {
	have, err := note.Read(folder)
	if err != nil {
		return err
	}
	have = note.Standing(have)
	now := time.Now().UTC()
	var notes []note.Note
	var faults []error
	for _, r := range added {
		for _, n := range r.AsNotes(f.queue(), now) {
			same := lists.Filter(have, func(o note.Note) bool {
				return o.Reviewer == n.Reviewer && o.Subject == n.Subject && o.Answer == n.Answer && o.Kind == n.Kind
			})
			switch {
			case slices.ContainsFunc(same, func(o note.Note) bool { return bytes.Equal(o.Value, n.Value) }):
				continue
			case n.Kind == note.Correct && len(same) > 0 && !f.force:
				faults = append(faults, fmt.Errorf("%s labelled item %[3]s %[2]s before, and now %[4]s; --force takes the new label", r.Rater, same[0].Value, r.Item, n.Value))
			}
			notes, have = append(notes, n), append(have, n)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	_, err = note.Append(folder, notes)
	return err
}

// printRatings prints a summary of the ratings of a run.
func (a *app) printRatings(folder record.Folder, flags peopleFlags) error {
	asked, err := flags.readAsked(folder)
	if err != nil {
		return usageError(err)
	}
	d := new(report.Document)
	if flags.correctness() {
		var labels []note.Label
		q, err := note.ReadQueue(folder, flags.queue())
		if err == nil {
			labels, err = note.Labels(folder)
		}
		if err != nil {
			return usageError(err)
		}
		d.Tables = append(d.Tables, labelTable(asked, q.Agree(labels)))
	} else {
		ratings, err := readRatings(folder.Ratings(flags.dataset))
		if err != nil {
			return usageError(err)
		}
		d.Tables = append(d.Tables, methodTable(asked, asked.Summarise(ratings)))
	}
	return flags.out.write(a, d)
}

// labelTable returns a table of each person's labels, with their agreement.
func labelTable(asked rating.Asked, of note.Agreement) *report.Table {
	t := &report.Table{Name: "labels", Title: fmt.Sprintf("%s: labels of %d answers", asked.Dataset, len(asked.Items)), Columns: report.Numbers("rater", "labelled", "missing")}
	for _, name := range slices.Sorted(maps.Keys(of.People)) {
		t.Rows = append(t.Rows, []report.Cell{{Text: termsafe.Text(name)}, report.Whole(of.People[name]), report.Whole(len(asked.Items) - of.People[name])})
	}
	t.NoteTitle("labelled: yes, no or partly; unsure counts as missing")
	if of.Right != nil {
		t.NoteTitle(fmt.Sprintf("right: an estimated %.1f %% of all answers, by the weights of the draw", 100**of.Right))
	}
	alpha := "not known"
	if of.Alpha != nil {
		alpha = fmt.Sprintf("%.3f", *of.Alpha)
	}
	if of.Low != nil {
		alpha += fmt.Sprintf(" (%.3f, %.3f by conversation)", *of.Low, *of.High)
	}
	t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's nominal alpha %s, from %d answers with two labels or more; people differ on %d of them, which 'bench view' lists",
		alpha, of.Shared, len(of.Split)))
	return t
}

// methodTable returns a table with mean, interval and flags of each method.
func methodTable(asked rating.Asked, of rating.Result) *report.Table {
	t := &report.Table{
		Name: "ratings", Title: fmt.Sprintf("%s: ratings of %d answers", asked.Dataset, len(asked.Items)),
		Columns: report.Numbers("method", slices.Concat([]string{"items", "ratings", "ucs"}, rating.Flags)...),
	}
	for _, m := range of.Methods {
		row := []report.Cell{{Text: termsafe.Text(m.Name)}, report.Whole(m.Items), report.Whole(m.Ratings), {}}
		if m.Items > 0 {
			row[3] = report.Decimal(m.Mean, 2, m.Interval)
		}
		for _, name := range rating.Flags {
			cell := report.Cell{}
			if x, ok := m.Flagged[name]; ok {
				cell = report.Decimal(100*x, 1, nil)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.NoteTitle(fmt.Sprintf("ucs: mean over items of the mean of their ratings, 1 to 5, higher is better; in parentheses the %g %% interval from resamples of whole conversations", 100*stats.Level),
		"flags: percentage of yes among the ratings that say yes or no")
	if of.Alpha != nil {
		t.NoteTitle(fmt.Sprintf("agreement: Krippendorff's alpha %.3f on the ordinal scale, from %d answers with two ratings or more", *of.Alpha, of.Shared))
	} else {
		t.NoteTitle(fmt.Sprintf("agreement: undefined; %d answers have two ratings or more, and if all ratings are equal there is no alpha", of.Shared))
	}
	return t
}
