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
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/runners"
)

type calibrateFlags struct {
	judgedFlags
	reference    string
	right, wrong string
}

func newJudgeCalibrateCommand(a *app) *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate RUN",
		Short: "Compare judges with labels, and correct their rates",
		Long: `Calibrate compares the judges of a run with people's labels of the same answers: it
prints how many right and how many wrong answers each judge accepts, and the corrected
rate of right answers. Labels come from the sheets of 'bench judge people' or the pages
of the run; only blind ones count. The result is saved with the run, and tables show it
in place of "uncalibrated".

Without labels, --reference uses the verdicts of another judge as the truth. --wrong
treats all answers of the rows that match a pattern as wrong, such as answers made up to
be wrong, and --right treats those of others as right. These results are not saved. With
--wrong, a second table has the rates of the other rows if all their errors were of one
kind.`,
		Example: `  bench judge calibrate results/runs/mine
  bench judge calibrate RUN --judge strict@gpt-4o-mini --reference recorded --wrong 'ap-*'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := calibrateJudges(args[0], flags)
			if err != nil {
				return usageError(err)
			}
			return flags.out.write(a, d)
		},
	}
	flags.add(cmd, judge.Majority)
	cmd.Flags().StringVar(&flags.reference, "reference", "", "`name` of a judge whose verdicts are taken as the truth")
	cmd.Flags().StringVar(&flags.wrong, "wrong", "", "`pattern` of rows whose answers are all wrong")
	cmd.Flags().StringVar(&flags.right, "right", "", "`pattern` of rows whose answers are all right")
	return cmd
}

func calibrateJudges(dir string, flags calibrateFlags) (*report.Document, error) {
	folder, header, unlock, err := openLocked(dir, flags.edits.options()...)
	if err != nil {
		return nil, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	rows, o, err := flags.open(folder, header)
	if err != nil {
		return nil, err
	}
	var truth string
	var alpha *float64
	people := flags.reference == "" && flags.wrong == "" && flags.right == ""
	if people {
		truth, alpha, err = labelRows(folder, rows)
	} else {
		truth, err = referRows(header, rows, flags)
	}
	if err != nil {
		return nil, err
	}
	d := new(report.Document)
	for _, name := range slices.DeleteFunc(o.Judges, func(n string) bool { return n == flags.reference }) {
		t := judges.Calibration(rows, name, o)
		t.NoteTitle(append([]string{"truth: " + truth}, unaskedNotes(rows, []string{name})...)...)
		d.Tables = append(d.Tables, t)
		if t := judges.Stress(rows, name, o); t != nil {
			d.Tables = append(d.Tables, t)
		}
		if people {
			keepCalibration(&header, rows, name, alpha, o)
		}
	}
	if len(d.Tables) == 0 {
		return nil, errors.New("the reference is the only judge; there is no other to compare with it")
	}
	if people {
		err = folder.WriteHeader(header)
	}
	return d, err
}

// keepCalibration saves in the header how a judge compares with labels on each dataset.
func keepCalibration(h *record.Header, rows []judge.Row, name string, alpha *float64, o judges.Options) {
	j := h.Judge
	if name != runners.Unnamed {
		j = h.FindJudge(name)
	}
	j.Calibrations = make(map[string]record.Calibration)
	for _, d := range h.Datasets {
		e, n := judges.ErrorsOf(lists.Filter(rows, func(r judge.Row) bool { return r.Dataset == d.Label }), name, o)
		c := record.Calibration{Labels: n, Alpha: alpha}
		if e.Sensitivity != nil {
			c.Sensitivity = &e.Sensitivity.X
		}
		if e.Specificity != nil {
			c.Specificity = &e.Specificity.X
		}
		if n > 0 {
			j.Calibrations[d.Label] = c
		}
	}
}

// labelRows sets the truth of labelled answers to the majority of their labels, and
// returns the agreement of the people.
func labelRows(folder record.Folder, rows []judge.Row) (about string, alpha *float64, err error) {
	labels, err := note.Labels(folder)
	if err != nil {
		return "", nil, err
	}
	said := make(map[note.Subject][]note.Label)
	seen, stale := 0, 0
	for _, l := range labels {
		_, sure := l.Value.Points()
		switch {
		case !sure:
		case !l.Blind:
			seen++
		case l.Stale:
			stale++
		default:
			said[l.Subject] = append(said[l.Subject], l)
		}
	}
	if len(said) == 0 {
		return "", nil, fmt.Errorf("there are no labels that count (%d are not blind); people label answers in sheets of 'bench judge people export --what correctness' or in the pages of 'bench view'", seen)
	}
	var units [][]float64
	for _, r := range rows {
		for i := range r.Answers {
			a := &r.Answers[i]
			var votes []float64
			for _, l := range said[a.Subject] {
				x, _ := l.Value.Points()
				votes, a.Weight = append(votes, x), max(a.Weight, l.Weight)
			}
			for _, x := range votes {
				if same := lists.Filter(votes, func(v float64) bool { return v == x }); 2*len(same) > len(votes) {
					a.Truth = &x
				}
			}
			if len(votes) > 0 {
				units = append(units, votes)
			}
		}
	}
	about = fmt.Sprintf("labels of %d answers", len(units))
	if stale += len(said) - len(units); seen+stale > 0 {
		about += fmt.Sprintf("; left out: %d labels that are not blind, %d of answers that have changed since", seen, stale)
	}
	if x, ok := stats.Alpha(units, stats.Nominal); ok {
		alpha = &x
		about += fmt.Sprintf("; agreement of the people: alpha %.3f", x)
	}
	return about, alpha, nil
}

// referRows sets the truth of answers by another judge, and by rows that are all right or
// all wrong.
func referRows(h record.Header, rows []judge.Row, flags calibrateFlags) (about string, err error) {
	var parts []string
	if flags.reference != "" {
		if _, err := chooseJudges(h, []string{flags.reference}); err != nil {
			return "", fmt.Errorf("--reference: %w", err)
		}
		parts = append(parts, "the verdicts of "+flags.reference)
		for _, r := range rows {
			for i, a := range r.Answers {
				if x, ok := a.Score(flags.reference, flags.combine); ok && x != 0.5 {
					r.Answers[i].Truth = new(map[bool]float64{true: 1}[x > 0.5])
				}
			}
		}
	}
	for x, pattern := range []string{flags.wrong, flags.right} {
		name := []string{"wrong", "right"}[x]
		if pattern == "" {
			continue
		}
		fits := 0
		for _, r := range rows {
			fit, err := path.Match(pattern, r.Name)
			if err != nil {
				return "", fmt.Errorf("--%s %s: %w", name, pattern, err)
			}
			if !fit {
				continue
			}
			fits++
			for i := range r.Answers {
				r.Answers[i].Truth = new(float64(x))
			}
		}
		if fits == 0 {
			return "", fmt.Errorf("--%s %s: %s", name, pattern, suggest.Unknown("row", pattern, lists.Map(rows, func(r judge.Row) string { return r.Name })))
		}
		parts = append(parts, fmt.Sprintf("all answers of the %d rows of %s are %s", fits, pattern, name))
	}
	return strings.Join(parts, "; "), nil
}
