package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

type calibrateFlags struct {
	judges          []string
	labels, combine string
	reference       string
	right, wrong    string
	edits           editsFlag
}

func newJudgeCalibrateCommand(a *app) *cobra.Command {
	var (
		out   output
		flags calibrateFlags
	)
	cmd := &cobra.Command{
		Use:   "calibrate RUN",
		Short: "Compare judges with labels, and correct their rates",
		Long: `Calibrate compares the judges of a run with labels of the same answers: how many
right answers each accepts, how many wrong ones, and the rate of right answers that
follows. Labels are those that people gave in sheets of 'bench judge people', in the pages of
the run or in --labels; only blind ones count. The
run keeps how its judges fare, and tables say it in place of "uncalibrated".

--reference takes the verdicts of another judge for the truth instead. --wrong
takes all answers of the rows that a pattern fits for wrong, such as answers that
were written to be; --right takes those of others for right. Nothing is kept of that. With
--wrong, a second table has the rates of the other rows if all their errors were of
one kind.`,
		Example: `  bench judge calibrate results/runs/mine
  bench judge calibrate RUN --judge strict@gpt-4o-mini --reference recorded --wrong 'ap-*'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := calibrateJudges(args[0], flags)
			if err != nil {
				return usageError(err)
			}
			return out.print(a, d)
		},
	}
	out.add(cmd)
	flags.edits.add(cmd)
	cmd.Flags().StringSliceVar(&flags.judges, "judge", nil, "`names` of judges, separated by commas (default: all of the run but the reference)")
	cmd.Flags().StringVar(&flags.labels, "labels", "", "`file` of labels in place of those of the run")
	cmd.Flags().StringVar(&flags.reference, "reference", "", "`name` of a judge whose verdicts are the truth")
	cmd.Flags().StringVar(&flags.wrong, "wrong", "", "`pattern` of rows whose answers are all wrong")
	cmd.Flags().StringVar(&flags.right, "right", "", "`pattern` of rows whose answers are all right")
	cmd.Flags().StringVar(&flags.combine, "combine", judges.Majority, "how several votes make a verdict: `majority` or mean")
	return cmd
}

func calibrateJudges(dir string, flags calibrateFlags) (*report.Document, error) {
	folder, header, unlock, err := openLocked(dir, flags.edits.options()...)
	if err != nil {
		return nil, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if flags.combine != judges.Mean && flags.combine != judges.Majority {
		return nil, fmt.Errorf("--combine is %q, want %s or %s", flags.combine, judges.Mean, judges.Majority)
	}
	names, err := chooseJudges(header, flags.judges)
	if err != nil {
		return nil, err
	}
	rows, err := judgedRows(folder, header)
	if err != nil {
		return nil, err
	}
	o := judges.Options{Combine: flags.combine, Seed: header.Seed}
	var about string
	var alpha *float64
	people := flags.reference == "" && flags.wrong == "" && flags.right == ""
	if people {
		about, alpha, err = labelRows(folder, rows, flags)
	} else {
		about, err = referRows(header, rows, flags, o)
	}
	if err != nil {
		return nil, err
	}
	datasetOf := make(map[string]string) // by cell
	for _, c := range header.Cells {
		datasetOf[c.ID] = c.Dataset
	}
	d := &report.Document{}
	kept := false
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return n == flags.reference }) {
		t := judges.Calibration(rows, name, o)
		t.NoteTitle(append([]string{about}, unaskedNotes(rows, []string{name})...)...)
		d.Tables = append(d.Tables, t)
		if t := judges.Stress(rows, name, o); t != nil {
			d.Tables = append(d.Tables, t)
		}
		j := header.Judge
		if name != unnamed {
			j = header.FindJudge(name)
		}
		if !people || j == nil {
			continue
		}
		j.Calibrations = make(map[string]record.Calibration)
		for _, dataset := range header.Datasets {
			e, n := judges.ErrorsOf(lists.Filter(rows, func(r judges.Row) bool { return datasetOf[r.Cell] == dataset.Label }), name, o)
			if n == 0 {
				continue
			}
			c := record.Calibration{Labels: n, Alpha: alpha}
			if e.Sensitivity != nil {
				c.Sensitivity = &e.Sensitivity.X
			}
			if e.Specificity != nil {
				c.Specificity = &e.Specificity.X
			}
			j.Calibrations[dataset.Label] = c
			kept = true
		}
	}
	if len(d.Tables) == 0 {
		return nil, errors.New("the reference is the only judge; there is none to hold against it")
	}
	if kept {
		return d, folder.WriteHeader(header)
	}
	return d, nil
}

// labelRows sets the truth of answers that people labelled, each to what most say of it,
// and returns the agreement of several people.
func labelRows(folder record.Folder, rows []judges.Row, flags calibrateFlags) (about string, alpha *float64, err error) {
	var notes []note.Note
	if flags.labels != "" {
		notes, err = note.ReadFile(flags.labels)
	} else {
		notes, err = note.Read(folder)
	}
	if err != nil {
		return "", nil, err
	}
	type answer struct{ cell, sample, request string }
	said := make(map[answer][]float64)
	weights := make(map[answer]float64)
	seen, stale := 0, 0
	for l, err := range note.Labels(folder, notes) {
		x, sure := l.Value.Points()
		switch {
		case err != nil:
			return "", nil, err
		case !sure:
		case !l.Blind:
			seen++
		case l.Stale:
			stale++
		default:
			of := answer{l.Cell, l.Sample, l.Request}
			said[of] = append(said[of], x)
			weights[of] = max(weights[of], l.Weight)
		}
	}
	if len(said) == 0 {
		return "", nil, fmt.Errorf("there are no labels that count, but for %d of people who were not blind; people label answers in sheets of 'bench judge people export --what correctness' or in the pages of 'bench view'", seen)
	}
	used := make(map[answer]bool)
	var units [][]float64
	for r := range rows {
		for i := range rows[r].Answers {
			a := &rows[r].Answers[i]
			key := answer{rows[r].Cell, a.Conversation, a.Request}
			votes := said[key]
			if len(votes) == 0 {
				continue
			}
			used[key] = true
			units = append(units, votes)
			a.Weight = weights[key]
			for _, x := range votes {
				if same := lists.Filter(votes, func(v float64) bool { return v == x }); 2*len(same) > len(votes) {
					a.Truth = &x
				}
			}
		}
	}
	stale += len(said) - len(used)
	about = fmt.Sprintf("truth: labels of %d answers", len(used))
	if seen > 0 {
		about += fmt.Sprintf("; %d labels of people who were not blind are left out", seen)
	}
	if stale > 0 {
		about += fmt.Sprintf("; %d labels of other answers than the run's are left out", stale)
	}
	if x, ok := stats.Alpha(units, stats.Nominal); ok {
		alpha = &x
		about += fmt.Sprintf("; alpha of the people who labelled them %.3f", x)
	}
	return about, alpha, nil
}

// referRows sets the truth of answers by another judge and by the rows that are wrong.
func referRows(h record.Header, rows []judges.Row, flags calibrateFlags, o judges.Options) (note string, err error) {
	names, err := chooseJudges(h, nil)
	if err != nil {
		return "", err
	}
	if flags.reference != "" && !slices.Contains(names, flags.reference) {
		return "", fmt.Errorf("--reference: %s", suggest.Unknown("judge", flags.reference, names))
	}
	fits := make(map[string]int) // rows that a pattern fits
	for r := range rows {
		var truth *float64
		for x, pattern := range []string{flags.wrong, flags.right} {
			fit, err := path.Match(pattern, rows[r].Name)
			if err != nil {
				return "", fmt.Errorf("the pattern %s: %w", pattern, err)
			}
			if fit {
				fits[pattern]++
				truth = new(float64(x))
			}
		}
		for i := range rows[r].Answers {
			a := &rows[r].Answers[i]
			if truth != nil {
				a.Truth = truth
			} else if x, ok := a.Score(flags.reference, o.Combine); ok && x != 0.5 {
				a.Truth = new(0.0)
				if x > 0.5 {
					*a.Truth = 1
				}
			}
		}
	}
	var parts []string
	if flags.reference != "" {
		parts = append(parts, "the verdicts of "+flags.reference)
	}
	for name, pattern := range map[string]string{"wrong": flags.wrong, "right": flags.right} {
		if pattern != "" && fits[pattern] == 0 {
			return "", fmt.Errorf("--%s %s fits no row", name, pattern)
		}
		if pattern != "" {
			parts = append(parts, fmt.Sprintf("all answers of the %d rows of %s are %s", fits[pattern], pattern, name))
		}
	}
	slices.Sort(parts)
	return "truth: " + strings.Join(parts, "; "), nil
}
