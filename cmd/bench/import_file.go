package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

// importFile reads the answers of a file and matches them to their questions. The head
// is that of the program's own format, else nil.
func (a *app) importFile(ctx context.Context, path string, flags importFlags, golds []record.Gold, o interchange.MatchOptions) (c runners.ImportedCell, head *interchange.PredictionsHead, err error) {
	file, err := interchange.Read(ctx, flags.from, path)
	if err != nil {
		return c, nil, err
	}
	m := interchange.Match(golds, &file, o)
	if err := mismatched(path, m, len(file.Answers), flags.skip); err != nil {
		return c, nil, err
	}
	if m.Missing == len(golds) {
		return c, nil, fmt.Errorf("%s has no answer to a question of %s; answers read: %d", path, flags.dataset, len(file.Answers))
	}
	c = runners.ImportedCell{
		From:    record.Imported{File: filepath.Base(path), Format: file.Format, SHA256: file.SHA256, Without: []metrics.Part{metrics.Evidence}},
		Answers: make([]*runners.ImportedAnswer, len(golds)), Judges: file.Judges,
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
			c.Answers[i] = importedAnswer(answer)
			usage = usage && (answer.Usage != nil || c.Answers[i].Record.Status != record.OK)
		case flags.missing == "error":
			c.Answers[i] = &runners.ImportedAnswer{Record: record.Record{
				Status: record.Error, Attempts: 1, Error: &record.Failure{Kind: "answer", Message: filepath.Base(path) + " has no answer to this question"},
			}}
		}
	}
	if !usage {
		c.From.Without = append(c.From.Without, metrics.Usage)
	}
	if !flags.quiet {
		a.warnOf(path, &file, m, flags.missing)
	}
	return c, file.Head, nil
}

// mismatched names the first answers that contradict the dataset, else those that match no
// question, unless they are skipped, and says what to do.
func mismatched(path string, m interchange.Matching, answers int, skip bool) error {
	all := m.Contradictions
	if len(all) == 0 && !skip {
		all = m.Unmatched
	}
	if len(all) == 0 {
		return nil
	}
	var faults []error
	add := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: "+format, append([]any{path}, args...)...))
	}
	for _, x := range all[:min(len(all), datafile.MaxFaults)] {
		faults = append(faults, errors.New(x.Error(path)))
	}
	if more := len(all) - len(faults); more > 0 {
		add("and %d more", more)
	}
	if len(m.Contradictions) == 0 {
		add("--skip-unmatched ignores these answers")
		return errors.Join(faults...)
	}
	fields := slices.Sorted(maps.Keys(m.Contradicting))
	counts := lists.Map(fields, func(field string) string { return fmt.Sprintf("%s of %d", field, m.Contradicting[field]) })
	add("%d of %d answers contradict the questions that they were matched to: %s", len(all), answers, strings.Join(counts, ", "))
	if m.Contradicting["category"] > 0 {
		add("--categories %s|FILE defines the names of categories", strings.Join(category.Names(), "|"))
	}
	if m.Contradicting["question"] > 0 {
		add("--match question matches by the texts of the questions instead of ids")
	}
	add("--accept %s allows the difference; answers are scored against the dataset's gold answers in any case", strings.Join(fields, ","))
	return errors.Join(faults...)
}

// warnOf reports how a file differs from what the dataset has.
func (a *app) warnOf(path string, file *interchange.File, m interchange.Matching, missing string) {
	warn := func(n int, format string, args ...any) {
		if n > 0 {
			a.log().Warn(fmt.Sprintf(path+": "+format, args...))
		}
	}
	for _, passed := range file.Ignored {
		warn(1, "%s are ignored", passed)
	}
	for _, category := range slices.Sorted(maps.Keys(m.LeftOut)) {
		warn(1, "answers left out, because the dataset's options exclude category %s: %d", category, m.LeftOut[category])
	}
	warn(len(m.Unmatched), "answers left out, because the dataset does not have their questions: %d", len(m.Unmatched))
	for _, field := range slices.Sorted(maps.Keys(m.Accepted)) {
		warn(1, "in %s the %s differs from the dataset's, which counts", report.Plural(m.Accepted[field], "answer"), field)
	}
	warn(m.ByOrder, "answers matched in the order of the file, because their conversation has the same question more than once: %d", m.ByOrder)
	what := "are left out; the means are over the others"
	if missing == "error" {
		what = "count as failed"
	}
	warn(m.Missing, "%d of %d questions have no answer and %s", m.Missing, len(m.Answers), what)
}

// importedAnswer returns an answer as it is recorded.
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
	for i, b := range a.Blocks { // most files do not name the turns that blocks come from
		to.Evidence = append(to.Evidence, methods.Evidence{
			ID: cmp.Or(b.Name, "block "+strconv.Itoa(i+1)), Text: b.Text, Score: b.Score, Sources: b.Sources, Estimated: b.Estimated,
		})
	}
	return to
}

// questionsOf writes the questions and gold answers of files as a dataset of the format
// jsonl next to the run folder, and returns its path. Answers without a conversation share
// one.
func questionsOf(ctx context.Context, paths []string, flags importFlags) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	seen, samples := make(map[[3]string]bool), make(map[string]int)
	var faults []error
	for _, path := range paths {
		file, err := interchange.Read(ctx, flags.from, path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		lacking := 0
		for _, a := range file.Answers {
			sample := cmp.Or(a.Sample, a.Conversation, "all")
			at := [3]string{sample, a.Request, a.Question}
			if a.Question == "" || a.Gold == "" {
				lacking++
				continue
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			n := samples[sample]
			samples[sample]++
			if n == 0 { // a sample needs a turn
				err = enc.Encode(map[string]any{"type": "turn", "sample": sample, "session": "1", "speaker": "none", "text": "The files have no conversation."})
			}
			err = cmp.Or(err, enc.Encode(map[string]any{
				"type": "question", "sample": sample, "id": cmp.Or(a.Request, fmt.Sprintf("q%d", n)), "question": a.Question, "answer": a.Gold, "category": cmp.Or(a.Category, "uncategorised"),
			}))
			if err != nil {
				return "", err
			}
		}
		if lacking > 0 {
			faults = append(faults, fmt.Errorf("%s: %d of %d answers lack the question or the gold answer, so --dataset must name a dataset", path, lacking, len(file.Answers)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	path, err := filepath.Abs(strings.TrimRight(flags.out, `/\`) + ".questions.jsonl")
	if err != nil {
		return "", err
	}
	return path, record.WriteBytes(path, b.Bytes())
}
