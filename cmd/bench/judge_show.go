package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	"recallbench/runners"
)

// judgedFlags choose judges of a run and how votes are combined.
type judgedFlags struct {
	judges  []string
	combine string
	edits   editsFlag
	out     output
}

func (f *judgedFlags) add(cmd *cobra.Command, combine string) {
	f.out.add(cmd)
	f.edits.add(cmd)
	cmd.Flags().StringSliceVar(&f.judges, "judge", nil, "`names` of judges, separated by commas (default: all of the run)")
	cmd.Flags().StringVar(&f.combine, "combine", combine, "how several votes become one score: `"+judge.Mean+" or "+judge.Majority+"`")
}

// open reads the answers of a run with the verdicts of its judges.
func (f *judgedFlags) open(folder record.Folder, h record.Header) (rows []judge.Row, o judges.Options, err error) {
	if err := oneOf("--combine", f.combine, []string{judge.Mean, judge.Majority}); err != nil {
		return nil, o, err
	}
	o = judges.Options{Combine: f.combine, Seed: h.Seed}
	if o.Judges, err = chooseJudges(h, f.judges); err != nil {
		return nil, o, err
	}
	rows, err = runners.JudgedRows(folder, h)
	return rows, o, err
}

func newJudgeShowCommand(a *app) *cobra.Command {
	var flags judgedFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Compare the judges of a run",
		Long: `Show prints the score of each row by each judge, the range from the lowest to the
highest, and the agreement of the judges. Abstentions that the dataset does not explain
are left out. 'bench compare --columns judge:NAME' tests whether rows differ by a judge.`,
		Example: "  bench judge show results/runs/mine --combine majority",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, header, err := record.Open(args[0], flags.edits.options()...)
			if err != nil {
				return usageError(err)
			}
			rows, o, err := flags.open(folder, header)
			if err != nil {
				return usageError(err)
			}
			o.Notes = append(judgeNotes(header, o.Judges), judges.UnaskedNotes(rows, o.Judges)...)
			return flags.out.write(a, judges.Document(rows, o))
		},
	}
	flags.add(cmd, judge.Mean)
	return cmd
}

// chooseJudges returns the names of judges of a run, all of them where none is named.
func chooseJudges(h record.Header, names []string) ([]string, error) {
	of := lists.Filter(h.Judges, func(j record.Judge) bool { return !slices.Contains(j.Columns, metrics.RefusalColumn) })
	have := lists.Map(of, func(j record.Judge) string { return j.Name })
	if h.Judge != nil {
		have = append([]string{runners.Unnamed}, have...)
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("run %s was not judged; 'bench judge' has a language model judge its answers", h.ID)
	}
	for _, n := range names {
		if !slices.Contains(have, n) {
			return nil, errors.New(suggest.Unknown("judge", n, have))
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	return have, nil
}

// judgeNotes returns notes that describe judges by name.
func judgeNotes(h record.Header, names []string) []string {
	var notes []string
	if h.Judge != nil && slices.Contains(names, runners.Unnamed) {
		notes = []string{fmt.Sprintf("%s: %s; %s", runners.Unnamed, h.Judge.Reader, h.Trust(h.Judge))}
	}
	for _, j := range h.Judges {
		if slices.Contains(names, j.Name) {
			notes = append(notes, j.Name+": "+h.Described(&j))
		}
	}
	return notes
}

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

Without labels, --reference uses the verdicts of another judge as the truth. --wrong and
--right treat all answers of the rows that match a pattern as wrong or right, such as
those of 'bench judge probe'. These results are not saved.`,
		Example: `  bench judge calibrate results/runs/mine
  bench judge calibrate RUN --judge strict@gpt-4o-mini --reference recorded --wrong 'ap-*'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return withLocked(args[0], flags.edits, func(folder record.Folder, header record.Header) error {
				d, err := flags.calibrate(folder, header)
				if err != nil {
					return usageError(err)
				}
				return flags.out.write(a, d)
			})
		},
	}
	flags.add(cmd, judge.Majority)
	cmd.Flags().StringVar(&flags.reference, "reference", "", "`name` of a judge whose verdicts are taken as the truth")
	cmd.Flags().StringVar(&flags.wrong, "wrong", "", "`pattern` of rows whose answers are all wrong")
	cmd.Flags().StringVar(&flags.right, "right", "", "`pattern` of rows whose answers are all right")
	return cmd
}

// calibrate compares judges with the truth, and saves the result if people said what is true.
func (f *calibrateFlags) calibrate(folder record.Folder, header record.Header) (*report.Document, error) {
	rows, o, err := f.open(folder, header)
	if err != nil {
		return nil, err
	}
	truth, err := f.refer(header, rows)
	people := truth == "" && err == nil
	var alpha *float64
	if people {
		var labels []note.Label
		if labels, err = note.Labels(folder); err == nil {
			truth, alpha, err = judges.LabelTruth(rows, labels)
		}
	}
	if err != nil {
		return nil, err
	}
	d := new(report.Document)
	for _, name := range slices.DeleteFunc(o.Judges, func(n string) bool { return n == f.reference }) {
		t := judges.Calibration(rows, name, o)
		t.NoteTitle(append([]string{"truth: " + truth}, judges.UnaskedNotes(rows, []string{name})...)...)
		d.Tables = append(d.Tables, t)
		if people {
			j := header.Judge
			if name != runners.Unnamed {
				j = header.FindJudge(name)
			}
			j.Calibrations = judges.Calibrations(rows, name, alpha, o)
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

// refer sets the truth of answers by the flags, and says what it is; nothing without flags.
func (f *calibrateFlags) refer(h record.Header, rows []judge.Row) (string, error) {
	var parts []string
	if f.reference != "" {
		if _, err := chooseJudges(h, []string{f.reference}); err != nil {
			return "", fmt.Errorf("--reference: %w", err)
		}
		parts = append(parts, judges.JudgeTruth(rows, f.reference, f.combine))
	}
	for truth, pattern := range []string{f.wrong, f.right} {
		if pattern == "" {
			continue
		}
		about, err := judges.RowTruth(rows, pattern, float64(truth))
		if err != nil {
			return "", fmt.Errorf("--%s %w", []string{"wrong", "right"}[truth], err)
		}
		parts = append(parts, about)
	}
	return strings.Join(parts, "; "), nil
}

func newJudgeProbeCommand(a *app) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "probe --dataset NAME --out DIR",
		Short: "Build a run of answers known to be right or wrong",
		Long: `Probe makes a run folder of made-up answers to the questions of a dataset: the row
right-gold has the gold answers, wrong-other the gold answers to other questions. The
share of each row that a judge accepts shows how it errs:

` + strings.Join(lists.Map(judge.Probes(), func(p judge.Probe) string { return fmt.Sprintf("  %-14s  %s", p.Name, p.Doc) }), "\n") + `

'bench judge' judges the run like any other, and 'bench judge calibrate --wrong wrong-*'
prints the share of wrong answers that were accepted. The difference between wrong-injected
and wrong-other is the effect of an instruction in the answer.`,
		Example: `  bench judge probe --dataset locomo --out probes
  bench judge probes --model configs/models/openai.yaml --judge strict --sample '*=700'
  bench judge calibrate probes --wrong 'wrong-*'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.dataset == "" || flags.out == "" {
				return usageError(errors.New("give the dataset and the folder of the run, as in --dataset locomo --out probes"))
			}
			return a.writeProbes(cmd.Context(), flags)
		},
	}
	flags.addDataset(cmd)
	return cmd
}

func (a *app) writeProbes(ctx context.Context, flags importFlags) error {
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return err
	}
	defer into.Close()
	var cells []runners.ImportedCell
	for _, p := range judge.Probes() {
		answers := p.Answers(into.Golds)
		c := runners.ImportedCell{Label: p.Name, Answers: make([]*scored.Request, len(into.Golds))}
		n := 0
		for i, text := range answers {
			if text != nil {
				c.Answers[i] = &scored.Request{Record: record.Record{Answer: *text, Status: record.OK, Attempts: 1}}
				n++
			}
		}
		if n == 0 {
			continue
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(append(data, p.Name...))
		c.From = record.Imported{File: p.Name, Format: "probe", SHA256: hex.EncodeToString(sum[:]), Without: []metrics.Part{metrics.Evidence, metrics.Usage}}
		cells = append(cells, c)
	}
	if len(cells) == 0 {
		return usageError(fmt.Errorf("no question of %s has a gold answer to probe with", flags.dataset))
	}
	return a.writeImport(ctx, into, flags.out, "none", []*metrics.Spec{metrics.F1Mem0Spec}, cells)
}
