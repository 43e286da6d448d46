package note

import (
	"strings"

	"recallbench/internal/result/record"
)

// A Value says whether an answer is right.
type Value string

// The values of labels.
const (
	Right  Value = "true"
	Wrong  Value = "false"
	Partly Value = "partly"
	Unsure Value = "unsure"
)

// Points are what a label counts: 1, 0.5 or 0; sure is false where its giver could not
// tell.
func (v Value) Points() (x float64, sure bool) {
	x, sure = map[Value]float64{Right: 1, Partly: 0.5, Wrong: 0}[v]
	return x, sure
}

// A Label is a person's decision whether an answer is right.
type Label struct {
	Subject
	Reviewer string
	Value    Value
	Blind    bool
	// Stale is set if the question was asked again since; the label does not count.
	Stale bool
	// Queue is the review queue that the label was made in, empty for none; Weight is
	// how many requests the label stands for: 1 where all were drawn.
	Queue  string
	Weight float64
}

// Labels returns the current labels of a run.
func Labels(run record.Folder) (labels []Label, err error) {
	notes, err := Read(run)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]map[Subject]Item) // by cell
	weights := make(map[string]map[Subject]float64)
	for _, n := range Standing(notes) {
		if n.Kind != Correct {
			continue
		}
		if answers[n.Cell] == nil {
			if _, answers[n.Cell], err = answersOf(run, n.Cell); err != nil {
				return nil, err
			}
		}
		if weights[n.Queue] == nil {
			weights[n.Queue] = make(map[Subject]float64)
			if q, err := ReadQueue(run, n.Queue); err == nil { // a queue that is gone leaves its labels without a weight
				for _, it := range q.Items {
					weights[n.Queue][it.Subject] = it.Weight
				}
			}
		}
		l := Label{
			Subject: n.Subject, Reviewer: n.Reviewer, Value: Value(strings.Trim(string(n.Value), `"`)), Blind: n.Blind, Queue: n.Queue,
			Stale: answers[n.Cell][n.Subject].Answer != n.Answer, Weight: 1,
		}
		if w, drawn := weights[n.Queue][n.Subject]; drawn {
			l.Weight = w
		}
		labels = append(labels, l)
	}
	return labels, nil
}

// answersOf returns what a cell was asked, each with its last answer, and by subject. The
// weight is 0 where the request failed.
func answersOf(run record.Folder, cell string) (items []Item, by map[Subject]Item, err error) {
	type answer struct {
		Sample, Request, Category, Answer string
		Status                            record.Status
	}
	by = make(map[Subject]Item)
	if record.FileName(cell) != cell {
		return nil, by, nil // no cell is named so
	}
	last, err := record.Last(record.Parts[answer](run.Records(cell)), func(line record.Line[answer]) Subject {
		return Subject{cell, line.Value.Sample, line.Value.Request}
	})
	for _, line := range last {
		a := line.Value
		it := Item{Subject: Subject{cell, a.Sample, a.Request}, Answer: Sum(a.Answer), Stratum: cell + " " + a.Category}
		if a.Status == record.OK {
			it.Weight = 1
		}
		items, by[it.Subject] = append(items, it), it
	}
	return items, by, err
}
