package note

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
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

// A Label is what a person said of whether an answer is right.
type Label struct {
	Cell, Sample, Request string
	Answer                string // SHA-256 in hex
	Reviewer              string
	Value                 Value
	Blind                 bool
	// Stale is set where the answer was asked again since; the label counts nowhere.
	Stale bool
	// Queue is the review queue that the label was made in, empty for none; Seed is
	// that of its draw, and Weight how many requests the label stands for: 1 where
	// all were drawn.
	Queue  string
	Seed   uint64
	Weight float64
}

// Labels yields the labels of some notes about a run, those that stand.
func Labels(run record.Folder, notes []Note) iter.Seq2[Label, error] {
	return func(yield func(Label, error) bool) {
		answers := make(map[string]map[subject]string) // by cell
		queues := make(map[string]*Queue)
		for _, n := range Standing(notes) {
			if n.Kind != Correct {
				continue
			}
			if answers[n.Cell] == nil {
				var err error
				if answers[n.Cell], err = answersOf(run, n.Cell); err != nil {
					yield(Label{}, err)
					return
				}
			}
			l := Label{
				Cell: n.Cell, Sample: n.Sample, Request: n.Request, Answer: n.Answer, Reviewer: n.Reviewer,
				Value: value(n), Blind: n.Blind, Queue: n.Queue, Weight: 1,
				Stale: answers[n.Cell][subject{n.Sample, n.Request}] != n.Answer,
			}
			if n.Queue != "" {
				q, ok := queues[n.Queue]
				if !ok {
					// A queue that is gone leaves its labels without a weight.
					q, _ = ReadQueue(run, n.Queue)
					queues[n.Queue] = q
				}
				if q != nil {
					l.Seed, l.Weight = q.Seed, q.weight(n)
				}
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

func value(n Note) Value {
	switch v := Value(strings.Trim(string(n.Value), `"`)); v {
	case Right, Wrong, Partly:
		return v
	default:
		return Unsure
	}
}

type subject struct{ sample, request string }

// answersOf returns the hash of each answer of a cell, the last of a request.
func answersOf(run record.Folder, cell string) (map[subject]string, error) {
	all := make(map[subject]string)
	if record.FileName(cell) != cell {
		return all, nil // no cell is named so
	}
	for line, err := range record.Parts[struct{ Sample, Request, Answer string }](run.Records(cell)) {
		if err != nil {
			return nil, err
		}
		all[subject{line.Value.Sample, line.Value.Request}] = Sum(line.Value.Answer)
	}
	return all, nil
}

// Sum is the hash by which notes know an answer: its SHA-256 in hex.
func Sum(answer string) string {
	sum := sha256.Sum256([]byte(answer))
	return hex.EncodeToString(sum[:])
}
