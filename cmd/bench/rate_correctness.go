package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/judges"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

// correctnessQueue is the name of the queue of the answers that were drawn of a dataset.
func correctnessQueue(dataset string) string {
	return rating.Correctness + "-" + record.FileName(dataset)
}

// drawCorrectness draws answers into a queue of the run, and asks whether they are right:
// by what a judge says of them, or where none judged the run by category.
func drawCorrectness(folder record.Folder, h record.Header, dataset string, questions []rating.Question, flags rateExport, o rating.Options) (rating.Asked, error) {
	var judge string
	if len(h.Judges) > 0 || h.Judge != nil {
		names, err := chooseJudges(h, lists.Filter([]string{flags.judge}, func(s string) bool { return s != "" }))
		if err != nil {
			return rating.Asked{}, err
		}
		if len(names) > 1 {
			return rating.Asked{}, fmt.Errorf("the run has several judges; name one with --judge: %s", strings.Join(names, ", "))
		}
		judge = names[0]
	}
	type answer struct{ cell, sample, request string }
	single := make(map[answer]rating.Question)
	for _, q := range questions {
		for _, a := range q.Answers {
			one := q
			one.Answers = []rating.Answer{a}
			single[answer{a.Cell, q.Sample, q.Request}] = one
		}
	}
	rows, err := judgedRows(folder, h)
	if err != nil {
		return rating.Asked{}, err
	}
	var items []note.Item
	for _, r := range rows {
		for _, a := range r.Answers {
			_, asked := single[answer{r.Cell, a.Conversation, a.Request}]
			x, judged := a.Score(judge, judges.Majority)
			if !asked || a.Failed || judge != "" && !judged {
				continue
			}
			stratum := a.Category
			if judge != "" {
				stratum = map[bool]string{true: "accepted", false: "refused"}[x > 0.5]
			}
			items = append(items, note.Item{Cell: r.Cell, Sample: a.Conversation, Request: a.Request, Answer: a.Hash, Stratum: stratum})
		}
	}
	q, err := note.NewQueue(correctnessQueue(dataset), items, note.Stratified, flags.items, o.Seed)
	if err != nil {
		return rating.Asked{}, err
	}
	q.Blind = true
	if !slices.Contains(note.Queues(folder), q.Name) {
		err = q.Write(folder)
	}
	return rating.AskCorrectness(lists.Map(q.Items, func(it note.Item) rating.Question {
		return single[answer{it.Cell, it.Sample, it.Request}]
	}), o), err
}

// importLabels makes notes of what raters say of answers being right.
func importLabels(folder record.Folder, asked rating.Asked, names []string, flags rateImport) error {
	said, err := filledIn(asked, names)
	if err != nil {
		return err
	}
	have, err := note.Read(folder)
	if err != nil {
		return err
	}
	of := func(reviewer string, k rating.Key) string {
		return strings.Join([]string{reviewer, k.Cell, k.Sample, k.Request, k.Answer}, "\x00")
	}
	before := make(map[string]string)
	for _, n := range note.Standing(have) {
		if n.Kind == note.Correct {
			before[of(n.Reviewer, rating.Key{Cell: n.Cell, Sample: n.Sample, Request: n.Request, Answer: n.Answer})] = string(n.Value)
		}
	}
	values := map[string]any{"yes": true, "no": false, "partly": "partly", "unsure": "unsure"}
	now := time.Now().UTC()
	var notes []note.Note
	var faults []error
	for _, r := range said {
		add := func(kind note.Kind, value any) {
			text, err := json.Marshal(value)
			faults = append(faults, err)
			notes = append(notes, note.Note{
				Time: now, Reviewer: r.Rater, Cell: r.Cell, Sample: r.Sample, Request: r.Request, Answer: r.Answer,
				Kind: kind, Value: text, Blind: true, Queue: correctnessQueue(asked.Dataset),
			})
		}
		if r.Correct != "" {
			old, labelled := before[of(r.Rater, r.Key)]
			same := old == fmt.Sprint(values[r.Correct]) || old == fmt.Sprintf("%q", values[r.Correct])
			if labelled && same {
				continue
			}
			if labelled && !flags.replace {
				faults = append(faults, fmt.Errorf("%s said %s of item %s before, now %s; --force takes the new label", r.Rater, old, r.Item, r.Correct))
			}
			add(note.Correct, values[r.Correct])
		}
		for _, name := range rating.Flags {
			if r.Flags[name] {
				add(note.Tag, strings.ReplaceAll(name, "_", "-"))
			}
		}
		if r.Notes != "" {
			add(note.Remark, r.Notes)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	_, err = note.Append(folder, notes)
	return err
}

// printCorrectness prints what people said of the answers that were drawn.
func (a *app) printCorrectness(out output, folder record.Folder, asked rating.Asked) error {
	notes, err := note.Read(folder)
	if err != nil {
		return usageError(err)
	}
	type answer struct{ cell, sample, request string }
	said := make(map[answer][]note.Label)
	counts := make(map[string]map[note.Value]int) // by rater
	stale := 0
	for l, err := range note.Labels(folder, notes) {
		switch {
		case err != nil:
			return err
		case l.Queue != correctnessQueue(asked.Dataset):
		case l.Stale:
			stale++
		default:
			of := answer{l.Cell, l.Sample, l.Request}
			said[of] = append(said[of], l)
			if counts[l.Reviewer] == nil {
				counts[l.Reviewer] = make(map[note.Value]int)
			}
			counts[l.Reviewer][l.Value]++
		}
	}
	raters := &report.Table{
		Name: "labels", Title: fmt.Sprintf("%s: %d answers labelled by %s", asked.Dataset, len(said), people(len(counts))),
		Columns: numbers("rater", "labelled", "missing", "yes", "partly", "no", "unsure"),
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		n := c[note.Right] + c[note.Partly] + c[note.Wrong] + c[note.Unsure]
		raters.Rows = append(raters.Rows, []report.Cell{
			{Text: termsafe.Text(name)}, whole(n), whole(len(asked.Items) - n), whole(c[note.Right]), whole(c[note.Partly]), whole(c[note.Wrong]), whole(c[note.Unsure]),
		})
	}
	differ := &report.Table{Name: "disagreements", Title: "answers on which people disagree", Columns: []report.Column{{Name: "item"}, {Name: "request"}, {Name: "method"}, {Name: "labels"}}}
	place := make(map[string]int)
	var units [][][]float64 // by conversation
	shared := 0
	for _, it := range asked.Items {
		var unit []float64
		var texts []string
		for _, l := range said[answer{it.Cell, it.Sample, it.Request}] {
			if x, ok := l.Value.Points(); ok {
				unit = append(unit, x)
				texts = append(texts, l.Reviewer+" "+verdictOf(l.Value))
			}
		}
		if len(unit) < 2 {
			continue
		}
		shared++
		i, ok := place[it.Sample]
		if !ok {
			i = len(units)
			place[it.Sample], units = i, append(units, nil)
		}
		units[i] = append(units[i], unit)
		if slices.Min(unit) < slices.Max(unit) {
			differ.Rows = append(differ.Rows, []report.Cell{
				{Text: it.ID}, {Text: termsafe.Text(it.Sample + "/" + it.Request)}, {Text: termsafe.Text(it.Method)}, {Text: termsafe.Text(strings.Join(texts, ", "))},
			})
		}
	}
	agreement := stats.Agreement(units, stats.Nominal)
	text := "agreement: not known"
	if x, ok := agreement.Value(); ok {
		text = fmt.Sprintf("agreement: Krippendorff's nominal alpha %.3f", x)
		if i, ok := (stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: asked.Seed}).Statistic(agreement); ok {
			text += fmt.Sprintf(" (%.3f, %.3f by conversation)", i.Lo, i.Hi)
		}
	}
	raters.NoteTitle(fmt.Sprintf("%s; %d answers have two labels or more, unsure aside", text, shared))
	if stale > 0 {
		raters.NoteTitle(fmt.Sprintf("left out: %d labels of answers that were asked again since", stale))
	}
	d := &report.Document{Tables: []*report.Table{raters}}
	if len(differ.Rows) > 0 {
		d.Tables = append(d.Tables, differ)
	}
	return out.print(a, d)
}

// verdictOf returns a label in the words of sheets.
func verdictOf(v note.Value) string {
	switch v {
	case note.Right:
		return "yes"
	case note.Wrong:
		return "no"
	case note.Partly, note.Unsure:
	}
	return string(v)
}
