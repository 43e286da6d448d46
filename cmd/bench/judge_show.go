package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	"recallbench/runners"
)

func newJudgeProfilesCommand(a *app) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "List the profiles of judges",
		Long: `Profiles lists what 'bench judge --judge' takes: the name of each profile, how often
it asks, the clone that has its authors' prompts, and how replies to these are read and
bounded. A profile that needs a clone has no words of this project's.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t := &report.Table{Name: "profiles", Title: "profiles of judges", Columns: []report.Column{
				{Name: "profile"}, {Name: "judges"}, {Name: "votes", Number: true}, {Name: "clone"}, {Name: "needed"}, {Name: "replies"},
			}}
			for _, p := range judge.Profiles() {
				repository, commit := p.Origin()
				needed := ""
				if p.Bound {
					needed = "yes"
				}
				votes := strconv.Itoa(p.Votes())
				if p.Rule {
					votes = "none"
				}
				t.Rows = append(t.Rows, []report.Cell{
					{Text: p.Name}, {Text: p.Doc}, {Text: votes}, {Text: strings.TrimSpace(strings.TrimPrefix(repository, "https://") + " " + commit)}, {Text: needed}, {Text: p.Protocol()},
				})
			}
			return out.print(a, &report.Document{Tables: []*report.Table{t}})
		},
	}
	out.add(cmd)
	return cmd
}

func newJudgeShowCommand(a *app) *cobra.Command {
	var (
		out     output
		names   []string
		combine string
		edits   editsFlag
	)
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Compare the judges of a run",
		Long: `Show prints what the judges of a run say of its answers: the scores of each row by
each judge, the band between the lowest and the highest, and how far judges agree. It
says which differences of rows are shown under all judges, under some or under none.
Abstentions that the dataset does not explain are in none of these figures.`,
		Example: "  bench judge show results/runs/mine --combine majority",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if combine != judges.Mean && combine != judges.Majority {
				return usageError(fmt.Errorf("--combine is %q, want %s or %s", combine, judges.Mean, judges.Majority))
			}
			d, err := judgesOf(args[0], names, combine, edits)
			if err != nil {
				return err
			}
			return out.print(a, d)
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().StringSliceVar(&names, "judge", nil, "`names` of judges, separated by commas (default: all of the run)")
	cmd.Flags().StringVar(&combine, "combine", judges.Mean, "how several votes make a score: `mean` or majority")
	return cmd
}

// judgesOf sets the judges of a run side by side.
func judgesOf(dir string, names []string, combine string, edits editsFlag) (*report.Document, error) {
	folder, header, err := record.Open(dir, edits.options()...)
	if err != nil {
		return nil, usageError(err)
	}
	o := judges.Options{Combine: combine, Seed: header.Seed}
	if o.Judges, err = chooseJudges(header, names); err != nil {
		return nil, usageError(err)
	}
	o.Notes = judgeNotes(header, o.Judges)
	rows, err := judgedRows(folder, header)
	if err != nil {
		return nil, err
	}
	o.Notes = append(o.Notes, unaskedNotes(rows, o.Judges)...)
	return judges.Document(rows, o), nil
}

// unnamed stands for the judge of the column judge.
const unnamed = "judge"

// chooseJudges returns the names of judges of a run, all of them where none is named.
func chooseJudges(h record.Header, names []string) ([]string, error) {
	of := lists.Filter(h.Judges, func(j record.Judge) bool { return !slices.Contains(j.Columns, metrics.RefusalColumn) })
	have := lists.Map(of, func(j record.Judge) string { return j.Name })
	if h.Judge != nil {
		have = append([]string{unnamed}, have...)
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("run %s was not judged; 'bench judge' asks a language model about its answers", h.ID)
	}
	for _, n := range names {
		if !slices.Contains(have, n) {
			return nil, fmt.Errorf("%s", suggest.Unknown("judge", n, have))
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	return have, nil
}

// judgeNotes say who the judges of some names are.
func judgeNotes(h record.Header, names []string) []string {
	var notes []string
	if h.Judge != nil && slices.Contains(names, unnamed) {
		notes = []string{fmt.Sprintf("%s: %s; %s", unnamed, h.Judge.Reader, h.Trust(h.Judge))}
	}
	for _, j := range h.Judges {
		if slices.Contains(names, j.Name) {
			notes = append(notes, j.Name+": "+h.Described(&j))
		}
	}
	return notes
}

// unaskedNotes say which judges were asked about a part of the answers.
func unaskedNotes(rows []judges.Row, names []string) (notes []string) {
	for _, name := range names {
		n := 0
		for _, r := range rows {
			n += len(lists.Filter(r.Answers, func(a judges.Answer) bool { return slices.Contains(a.Unasked, name) }))
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s was not asked about %d answers, which f1@span decided and which count nowhere here", name, n))
		}
	}
	return notes
}

// judgedRows reads the answers of a run that can be right, by row.
func judgedRows(folder record.Folder, h record.Header) ([]judges.Row, error) {
	cells, err := runners.JudgedRows(folder, h)
	if err != nil {
		return nil, err
	}
	var rows []judges.Row
	for _, c := range cells {
		row := judges.Row{Name: c.Method, Cell: c.ID}
		if len(h.Models) > 1 {
			row.Name += ", " + c.Model
		}
		if len(h.Datasets) > 1 {
			row.Name += ", " + c.Dataset
		}
		for _, x := range c.Answers {
			if x.Abstain {
				continue
			}
			answer := judges.Answer{
				Conversation: x.Sample, Request: x.Request, Category: x.Category, Hash: x.Hash, Failed: x.Failed, Votes: make(map[string][]float64), Unparsed: make(map[string]int),
			}
			for name, j := range x.By {
				name = cmp.Or(name, unnamed)
				answer.Votes[name], answer.Unparsed[name] = votesOf(j)
			}
			for _, name := range x.Unasked {
				answer.Unasked = append(answer.Unasked, cmp.Or(name, unnamed))
			}
			row.Answers = append(row.Answers, answer)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// votesOf returns the votes of a judgement about the whole answer: its score where it
// was judged nugget by nugget.
func votesOf(j record.Judgement) (votes []float64, unparsed int) {
	for _, v := range j.Votes {
		if v.Nugget == 0 && v.Score != nil {
			votes = append(votes, *v.Score)
			if v.Unparsed {
				unparsed++
			}
		}
	}
	if x := j.Value(); len(votes) == 0 && x != nil {
		votes = []float64{*x}
	}
	return votes, unparsed
}

// planJudges prints what judging a run would take.
func (a *app) planJudges(ctx context.Context, dir string, flags judgeFlags, judges []judging) error {
	folder, header, err := record.Open(dir, flags.edits.options()...)
	if err != nil {
		return usageError(err)
	}
	t := &report.Table{Name: "plan", Title: "what judging would take", Columns: []report.Column{{Name: "judge"}}}
	for _, name := range []string{"answers", "judged", "calls", "input", "output", "dollars"} {
		t.Columns = append(t.Columns, report.Column{Name: name, Number: true})
	}
	for _, o := range judges {
		p, err := a.planJudge(ctx, folder, header, flags.runFlags, o)
		if err != nil {
			return err
		}
		usd := report.Cell{Text: "not known"}
		if p.USD != nil {
			usd = report.Cell{Text: fmt.Sprintf("%.4f", *p.USD), Value: p.USD}
		}
		calls := whole(p.Calls)
		if p.Order > 0 {
			calls.Notes = append(calls.Notes, t.Note(fmt.Sprintf("and at least %d about the order of lines, up to one for each line and nugget, which no other figure counts", p.Order)))
		}
		answers := whole(p.Answers)
		if o.Audit != nil {
			answers.Notes = append(answers.Notes, t.Note(fmt.Sprintf("%d of %d answers go to the judge, %d of them judged before; f1@span decides the others",
				p.Answers-p.Taken, p.Answers, p.Judged)))
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: p.Name}, answers, whole(p.Judged), calls, whole(p.Input), whole(p.Output), usd})
	}
	t.NoteTitle("judged: before, and not asked again; output and dollars are at most: "+
		"every reply as long as it may be, and none repeated", "nothing was called")
	o := &output{format: "text"}
	return o.print(a, &report.Document{Tables: []*report.Table{t}})
}

func (a *app) planJudge(ctx context.Context, folder record.Folder, header record.Header, flags runFlags, o judging) (runners.JudgePlan, error) {
	judging, closeCalls, err := a.judging(ctx, header.Seed, flags, o)
	if err != nil {
		return runners.JudgePlan{}, err
	}
	defer closeCalls()
	p, err := judging.Plan(folder, header)
	if err != nil {
		err = usageError(err)
	}
	if closed := judging.Close(); err == nil {
		err = closed
	}
	return p, err
}
