package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// importFile reads the answers of a file and brings them to their questions. The head
// is that of the program's own format, else nil.
func (a *app) importFile(ctx context.Context, path string, flags importFlags, golds []record.Gold, o interchange.MatchOptions) (runners.ImportedCell, *interchange.PredictionsHead, error) {
	file, err := interchange.Read(ctx, flags.from, path)
	if err != nil {
		return runners.ImportedCell{}, nil, err
	}
	m := interchange.Match(golds, &file, o)
	if err := contradicting(path, m, len(file.Answers)); err != nil {
		return runners.ImportedCell{}, nil, err
	}
	if len(m.Unmatched) > 0 && !flags.skip {
		return runners.ImportedCell{}, nil, unmatched(path, m.Unmatched)
	}
	if m.Missing == len(golds) {
		return runners.ImportedCell{}, nil, fmt.Errorf("%s: none of its %d answers is to a question of %s", path, len(file.Answers), flags.dataset)
	}
	c := runners.ImportedCell{
		From:    record.Imported{File: filepath.Base(path), Format: file.Format, SHA256: file.SHA256, Without: []metrics.Part{metrics.Evidence}},
		Answers: make([]*runners.ImportedAnswer, len(golds)),
	}
	if len(m.Accepted) > 0 {
		c.From.Accepted = m.Accepted
	}
	if h := file.Head; h != nil { // the format names the turns that blocks stand for
		c.From.Without, c.Tokenizer, c.Options, c.Prompts, c.Seed = nil, h.Tokenizer, h.Options, h.Prompts, h.Seed
	}
	c.Judges = file.Judges
	usage := true
	for i, answer := range m.Answers {
		switch {
		case answer != nil:
			c.Answers[i] = importedAnswer(answer)
			usage = usage && (answer.Usage != nil || c.Answers[i].Record.Status != record.OK)
		case flags.missing == "error":
			c.Answers[i] = &runners.ImportedAnswer{Record: record.Record{
				Status: record.Error, Attempts: 1, Error: &record.Failure{Kind: "answer", Message: filepath.Base(path) + " has no answer to it"},
			}}
		}
	}
	if !usage {
		c.From.Without = append(c.From.Without, metrics.Usage)
	}
	for _, note := range importNotes(&file, m, flags, len(golds)) {
		if !flags.quiet {
			a.log().Warn(path + ": " + note)
		}
	}
	return c, file.Head, nil
}

// contradicting names what the file says else of its questions than the dataset, the
// first of many answers, what may be behind it, and what to do.
func contradicting(path string, m interchange.Matching, answers int) error {
	var faults []error
	add := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: "+format, append([]any{path}, args...)...))
	}
	shown := m.Contradictions[:min(len(m.Contradictions), datafile.MaxFaults)]
	for _, c := range shown {
		faults = append(faults, errors.New(c.Error(path)))
	}
	if len(faults) == 0 {
		return nil
	}
	if more := len(m.Contradictions) - len(shown); more > 0 {
		add("and %d more", more)
	}
	fields := slices.Sorted(maps.Keys(m.Contradicting))
	counts := lists.Map(fields, func(field string) string { return fmt.Sprintf("%s of %d", field, m.Contradicting[field]) })
	add("%d of %d answers contradict the requests that they were matched to: %s", len(m.Contradictions), answers, strings.Join(counts, ", "))
	if m.Contradicting["category"] > 0 {
		add("--categories %s|FILE says what names of categories stand for", strings.Join(category.Names(), "|"))
	}
	if m.Contradicting["question"] > 0 || m.Contradicting["id"] > 0 {
		add("--match question goes by the texts of the questions and not by ids")
	}
	add("--accept %s takes them as they are; answers are scored against the dataset's gold all the same", strings.Join(fields, ","))
	return errors.Join(faults...)
}

// unmatched names the answers to no question, the first of many.
func unmatched(path string, answers []interchange.Unmatched) error {
	faults := lists.Map(answers[:min(len(answers), datafile.MaxFaults)], func(u interchange.Unmatched) error { return errors.New(u.Error(path)) })
	if more := len(answers) - len(faults); more > 0 {
		faults = append(faults, fmt.Errorf("%s: and %d more answers to no question", path, more))
	}
	return errors.Join(append(faults, fmt.Errorf("%s: --skip-unmatched passes over these answers", path))...)
}

// importNotes say in what a file is not what the dataset asks for.
func importNotes(file *interchange.File, m interchange.Matching, flags importFlags, questions int) []string {
	notes := slices.Clone(file.Ignored)
	for i := range notes {
		notes[i] += " are ignored"
	}
	for _, category := range slices.Sorted(maps.Keys(m.LeftOut)) {
		notes = append(notes, fmt.Sprintf("%d answers to questions of category %s are left out, which the dataset's options do not ask", m.LeftOut[category], category))
	}
	if n := len(m.Unmatched); n > 0 {
		notes = append(notes, fmt.Sprintf("%d answers to no question of the dataset are left out", n))
	}
	for _, field := range slices.Sorted(maps.Keys(m.Accepted)) {
		notes = append(notes, fmt.Sprintf("in %s the %s is another than the dataset's, which counts", report.Plural(m.Accepted[field], "answer"), field))
	}
	if m.OtherIDs && flags.match != interchange.ByQuestion {
		notes = append(notes, "no id of it is one of the dataset: answers are matched by the texts of their questions")
	}
	if m.ByOrder > 0 {
		notes = append(notes, fmt.Sprintf("%d answers to questions that a conversation asks more than once are matched in the order of the file", m.ByOrder))
	}
	if m.Missing > 0 {
		what := "are left out: the means are over the others"
		if flags.missing == "error" {
			what = "are failed requests"
		}
		notes = append(notes, fmt.Sprintf("%d of %d questions have no answer and %s", m.Missing, questions, what))
	}
	return notes
}

// importedAnswer is an answer as it is recorded.
func importedAnswer(a *interchange.Answer) *runners.ImportedAnswer {
	to := &runners.ImportedAnswer{Judgements: a.Judgements, Record: record.Record{
		Answer: a.Text, Error: a.Failure, Attempts: 1, Cost: a.Cost, Time: record.Timing{Total: a.Total(), Stages: a.Stages},
	}}
	if a.Usage != nil {
		to.Record.Usage = map[string]map[string]llm.Usage{"query": {"reader": *a.Usage}}
	}
	if a.Record != nil {
		to.Record = *a.Record
	}
	to.Record.Status = cmp.Or(a.Status, record.OK)
	for i, b := range a.Blocks { // most files do not name the turns that they stand for
		to.Evidence = append(to.Evidence, methods.Evidence{
			ID: cmp.Or(b.Name, "block "+strconv.Itoa(i+1)), Text: b.Text, Score: b.Score, Sources: b.Sources, Estimated: b.Estimated,
		})
	}
	return to
}
