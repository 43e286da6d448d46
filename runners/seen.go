package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/methods"
)

// A viewed method is shown something else than the samples that it is given. Gold answers
// stay here: the method inside gets turns.
type viewed struct {
	methods.Method
	build func(ctx context.Context, s datasets.Sample) (methods.Memory, error)
}

// Build implements [methods.Method].
func (v viewed) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	return v.build(ctx, s)
}

// seenThrough returns a method that is shown the samples of a set by a view.
func seenThrough(v methods.View, m methods.Method, set *datasets.Set) methods.Method {
	switch v {
	case methods.OnlyEvidence:
		return viewed{m, func(_ context.Context, s datasets.Sample) (methods.Memory, error) {
			return evidenceMemory{m, set, s}, nil
		}}
	case methods.Elsewhere:
		return viewed{m, func(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
			other, err := elsewhere(ctx, set, s)
			if err != nil {
				return nil, err
			}
			return m.Build(ctx, other)
		}}
	default:
		return m
	}
}

// seen returns what tables say of a method that sees a dataset by its view, or why it
// cannot. Asked are the requests of the run, of all its shards.
func seen(spec *methods.Spec, set *datasets.Set, asked []datasets.Entry) (string, error) {
	switch spec.Sees {
	case methods.OnlyEvidence:
		all, without := 0, 0
		for _, e := range asked {
			for _, r := range e.Requests {
				all++
				if gold, _ := set.Gold(e.ID, r.ID); len(gold.Evidence)+len(gold.Sessions) == 0 {
					without++
				}
			}
		}
		if without == all {
			return "", fmt.Errorf("%s needs the gold evidence of questions, and %s has none; want a dataset with gold evidence, such as locomo or longmemeval", spec.Name, set.Name)
		}
		note := "sees only the gold evidence of each question: a ceiling, not a memory"
		if without > 0 {
			note += fmt.Sprintf("; %d of %d questions have none and are answered without", without, all)
		}
		return note, nil
	case methods.Elsewhere:
		if n := len(lists.Filter(set.Entries, hasTurns)); n < 2 {
			return "", fmt.Errorf("%s needs another conversation of the dataset, and %s has %d; want a dataset, or options, with at least 2", spec.Name, set.Name, n)
		}
		return "sees a different conversation than the questions are about: a control, not a memory", nil
	default:
		return "", nil
	}
}

func hasTurns(e datasets.Entry) bool { return !e.Tree && e.Turns > 0 }

// evidenceMemory builds a memory of the gold evidence for each question.
type evidenceMemory struct {
	method methods.Method
	set    *datasets.Set
	sample datasets.Sample
}

// Answer implements [methods.Memory].
func (m evidenceMemory) Answer(ctx context.Context, r datasets.Request) (resp methods.Response, err error) {
	gold, _ := m.set.Gold(m.sample.ID, r.ID)
	memory, err := m.method.Build(ctx, onlyEvidence(m.sample, gold))
	if err != nil {
		return resp, err
	}
	defer func() { err = errors.Join(err, methods.Close(memory)) }()
	return memory.Answer(ctx, r)
}

// onlyEvidence returns a sample with nothing but the turns that a gold answer rests
// on, or where it names sessions alone, with these.
func onlyEvidence(s datasets.Sample, g datasets.Gold) datasets.Sample {
	only := s
	only.Sessions = nil
	for _, session := range s.Sessions {
		session.Turns = lists.Filter(session.Turns, func(t datasets.Turn) bool {
			return slices.Contains(g.Evidence, t.ID) || len(g.Evidence) == 0 && slices.Contains(g.Sessions, session.ID)
		})
		if len(session.Turns) > 0 {
			only.Sessions = append(only.Sessions, session)
		}
	}
	return only
}

// elsewhere returns the next conversation of the set after a sample's, from the last the
// first, as if it were the sample's. The ids of its turns get that of their
// conversation in front, so that they are no turns of the sample.
func elsewhere(ctx context.Context, set *datasets.Set, s datasets.Sample) (datasets.Sample, error) {
	entries := set.Entries
	place := slices.IndexFunc(entries, func(e datasets.Entry) bool { return e.ID == s.ID })
	for step := 1; step < len(entries); step++ {
		e := entries[(place+step)%len(entries)]
		if !hasTurns(e) {
			continue
		}
		other, err := set.Load(ctx, e.Place)
		if err != nil {
			return datasets.Sample{}, changedData(err)
		}
		if sameHistory(s, other) {
			continue
		}
		for i := range other.Sessions {
			for j := range other.Sessions[i].Turns {
				turn := &other.Sessions[i].Turns[j]
				turn.ID = other.ID + "/" + turn.ID
			}
		}
		other.ID, other.Requests = s.ID, nil
		return other, nil
	}
	return datasets.Sample{}, fmt.Errorf("no other conversation of %s: all continue the same history", set.Name)
}

// sameHistory reports whether two samples are of one conversation, such as up to
// different points: most turns of the shorter one are in both.
func sameHistory(a, b datasets.Sample) bool {
	in := make(map[string]int) // texts: 1 for those of a, 2 of b, 3 of both
	for i, s := range []datasets.Sample{a, b} {
		for _, session := range s.Sessions {
			for _, t := range session.Turns {
				in[t.Speaker+": "+t.Text] |= 1 << i
			}
		}
	}
	var count [4]int
	for _, which := range in {
		count[which]++
	}
	return count[3] > min(count[1], count[2])
}
