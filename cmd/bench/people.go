package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	"recallbench/runners"
)

func newPeopleCommand(a *app) *cobra.Command {
	return newGroup("people", "Have people rate the answers of a run", `People collects human ratings of how well answers continue the conversation (User
Continuity Satisfaction, 1 to 5) or, with --what correctness, of whether they are right.
Its verbs write sheets, which hide which method gave an answer, and read them back when
filled in. 'bench judge calibrate' compares judges with labels of correctness.
docs/judging.md is the guide.

Only people rate; a rating that nobody gave is missing.`,
		newPeopleExportCommand(a), newPeopleImportCommand(a),
	)
}

// peopleFlags set what people are asked about a run.
type peopleFlags struct{ dataset, what string }

func (f *peopleFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dataset, "dataset", "", "`label` of the dataset, if the run has several")
	cmd.Flags().StringVar(&f.what, "what", string(rating.Continuity), "what people rate: `continuity`, 1 to 5, or correctness")
}

// find checks the flags and names the dataset.
func (f *peopleFlags) find(h record.Header) error {
	labels := lists.Map(h.Datasets, func(d record.Dataset) string { return d.Label })
	if f.dataset == "" && len(labels) == 1 {
		f.dataset = labels[0]
	}
	if !slices.Contains(labels, f.dataset) {
		return errors.New("--dataset: the run: " + suggest.Unknown("dataset", f.dataset, labels))
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

func newPeopleExportCommand(a *app) *cobra.Command {
	var flags peopleFlags
	var o runners.PeopleOptions
	var sheets string
	cmd := &cobra.Command{
		Use:   "export RUN --out DIR",
		Short: "Write answers for people to rate blind",
		Long: `Export draws questions of a run, spread over its conversations, and writes each rater
a sheet with the answers of all methods: a CSV file for a spreadsheet, in a random order
per rater, with empty columns to fill in, and instructions. Sheets hide names of methods;
the key stays in the run folder, which raters should not get.

With --what correctness, it draws single answers, and raters say whether each is right.
Half of them are accepted and half refused by a judge of the run; without a judge, each
category has the same number.

The same command writes the same sheets, and no file with other content is overwritten.`,
		Example: `  bench judge people export results/runs/mine --out sheets --raters 5
  bench judge people export results/runs/mine --out sheets --dataset dialogre-l --limit 30 --seed 7
  bench judge people export results/runs/mine --out sheets --what correctness --limit 200 --raters 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sheets == "" || o.Raters < 1 || o.Raters > 1000 {
				return usageError(errors.New("give the folder for the sheets, such as --out sheets, and 1 to 1000 --raters"))
			}
			return withLocked(args[0], editsFlag{}, func(folder record.Folder, header record.Header) error {
				if !cmd.Flags().Changed("seed") {
					o.Seed = header.Seed
				}
				return usageError(a.exportSheets(folder, header, flags, o, sheets))
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&sheets, "out", "", "`folder` for the sheets, not in the run folder")
	cmd.Flags().IntVar(&o.Limit, "limit", 50, "how many questions to draw, or answers with --what correctness")
	cmd.Flags().StringVar(&o.Judge, "judge", "", "`name` of the judge whose verdicts guide the draw of --what correctness (default: the only one)")
	cmd.Flags().IntVar(&o.Raters, "raters", 1, "how many raters get a sheet")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 0, "seed of the draw and of the orders (default: the run's)")
	return cmd
}

func (a *app) exportSheets(folder record.Folder, h record.Header, flags peopleFlags, o runners.PeopleOptions, sheets string) error {
	if err := errors.Join(flags.find(h), checkFree(sheets, true), a.checkOut(filepath.Join(sheets, "rater-1.csv"))); err != nil {
		return err
	}
	if len(h.AllJudges()) > 0 && flags.correctness() {
		names, err := chooseJudges(h, lists.Filter([]string{o.Judge}, func(name string) bool { return name != "" }))
		if err != nil {
			return err
		}
		if o.Judge = names[0]; len(names) > 1 {
			return fmt.Errorf("the run has several judges; name one with --judge: %s", strings.Join(names, ", "))
		}
	}
	o.Dataset, o.What, o.Queue = flags.dataset, rating.What(flags.what), flags.queue()
	asked, err := runners.AskPeople(folder, h, o)
	if err != nil {
		return err
	}
	if err := asked.Write(flags.asked(folder), sheets); err != nil {
		return err
	}
	questions := lists.Distinct(asked.Items, func(it rating.Item) string { return it.Sample + "\x00" + it.Request })
	samples := lists.Distinct(asked.Items, func(it rating.Item) string { return it.Sample })
	hidden := lists.Filter(asked.Items, func(it rating.Item) bool { return it.Hidden })
	return a.say("answers: %d, to %d questions about %d conversations; raters: %d; answers in which the name of a method or model was hidden: %d\nsheets and instructions: %s\nkey, not for raters: %s",
		len(asked.Items), len(questions), len(samples), o.Raters, len(hidden), sheets, flags.asked(folder))
}

func newPeopleImportCommand(a *app) *cobra.Command {
	var flags peopleFlags
	var out output
	var force bool
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
			return withLocked(args[0], editsFlag{}, func(folder record.Folder, header record.Header) error {
				t, err := a.importSheets(cmd.Context(), folder, header, flags, args[1:], force)
				if err != nil {
					return usageError(err)
				}
				return out.write(a, &report.Document{Tables: []*report.Table{t}})
			})
		},
	}
	flags.add(cmd)
	out.add(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace an earlier, different rating of the same item by the same rater")
	return cmd
}

// importSheets adds what sheets say to a run, and returns a table of all that people said.
func (a *app) importSheets(ctx context.Context, folder record.Folder, h record.Header, flags peopleFlags, names []string, force bool) (*report.Table, error) {
	if err := flags.find(h); err != nil {
		return nil, err
	}
	var asked rating.Asked
	err := record.ReadJSON(flags.asked(folder), &asked)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("nobody was asked about the %s of %s on %s; 'bench judge people export' does so", flags.what, folder, flags.dataset)
	}
	if err != nil {
		return nil, err
	}
	added, err := asked.ReadSheets(names)
	if err != nil {
		return nil, err
	}
	if flags.correctness() {
		q, err := note.ReadQueue(folder, flags.queue())
		if err != nil {
			return nil, err
		}
		if err := rating.AddNotes(folder, q.Name, added, time.Now().UTC(), force); err != nil {
			return nil, err
		}
		labels, err := note.Labels(folder)
		return judges.LabelTable(asked, q.Agree(labels)), err
	}
	ratings, err := a.addRatings(ctx, folder, h, flags, added, force)
	return judges.RatingTable(asked, asked.Summarise(ratings)), err
}

// addRatings merges ratings of continuity with those of the run, scores it again, and returns
// all ratings.
func (a *app) addRatings(ctx context.Context, folder record.Folder, h record.Header, flags peopleFlags, added []rating.Rating, force bool) (all []rating.Rating, err error) {
	path := folder.Ratings(flags.dataset)
	for line, err := range record.Lines[rating.Rating](path) {
		if err != nil {
			return nil, err
		}
		all = append(all, line.Value)
	}
	if all, err = rating.Merge(all, added, force); err != nil {
		return nil, err
	}
	if err := folder.Unseal(&h, path); err != nil {
		return nil, err
	}
	if err := record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, all...) }); err != nil {
		return nil, err
	}
	if err := folder.Seal(&h, nil, path, flags.asked(folder)); err != nil {
		return nil, err
	}
	_, err = a.scoreRun(ctx, folder, h, lists.AddNew(slices.Clone(h.Metrics), metrics.UCSSpec.Name))
	return all, err
}
