package record

import (
	"context"
	"fmt"
	"io"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/jsonout"
)

// WriteGold writes the questions of entries with their gold answers, so that a
// run can be scored where its dataset is not.
func WriteGold(path string, set *datasets.Set, entries []datasets.Entry) error {
	return writeLines(path, func(put func(any) error) error {
		for _, e := range entries {
			for _, r := range e.Requests {
				gold, err := GoldOf(set, e.ID, r)
				if err == nil {
					err = put(gold)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeLines is [WriteFile] for lines of JSON that are put one by one.
func writeLines(path string, write func(put func(line any) error) error) error {
	return WriteFile(path, func(w io.Writer) error { return write(jsonout.NewEncoder(w).Encode) })
}

// GoldOf returns a question of a sample with its gold answer.
func GoldOf(set *datasets.Set, sample string, r datasets.Request) (Gold, error) {
	g, ok := set.Gold(sample, r.ID)
	if !ok {
		return Gold{}, fmt.Errorf("dataset %s has no gold answer for question %s of %s", set.Name, r.ID, sample)
	}
	var history []Utterance
	for _, t := range g.History {
		history = append(history, Utterance{Turn: t.ID, Speaker: t.Speaker, Text: t.Text})
	}
	return Gold{
		Sample: sample, Request: r.ID, Category: g.Category, Question: r.Text,
		Answer: g.Answer, Variants: g.Variants, Evidence: g.Evidence, Abstain: g.Abstain,
		Entities: g.Entities, History: history, Labels: g.Labels, Expect: g.Expect,
		Name: g.Name, Rubric: g.Rubric, Ordered: g.Ordered, Explanation: g.Explanation, Lure: g.Lure, Sessions: g.Sessions,
		Options: r.Options, Correct: g.Correct, Values: g.Values,
	}, nil
}

// maxTurns is how many turns a dataset may have whose order is written.
const maxTurns = 100_000

// WriteTurns writes the order of the turns of entries' conversations, without their
// texts; nothing where the dataset has none, or more than 100,000, which take long to load.
func WriteTurns(ctx context.Context, path string, set *datasets.Set, entries []datasets.Entry) error {
	n := 0
	for _, e := range set.Entries { // all, so that shards do as the whole run
		n += e.Turns
	}
	if n == 0 || n > maxTurns {
		return nil
	}
	return writeLines(path, func(put func(any) error) error {
		for _, e := range entries {
			s, err := set.Load(ctx, e.Place)
			if err != nil {
				return err
			}
			for _, session := range s.Sessions {
				for _, t := range session.Turns {
					if err := put(Turn{s.ID, t.ID, session.ID, session.Time, t.Speaker}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// WriteTrees writes the structured memories of entries' samples, each once for all
// samples that begin with it; nothing where they have none.
func WriteTrees(ctx context.Context, path string, set *datasets.Set, entries []datasets.Entry) error {
	texts := make(map[*tree.Tree]string)
	var lines []Tree
	for _, e := range entries {
		if !e.Tree {
			continue
		}
		s, err := set.Load(ctx, e.Place)
		if err != nil {
			return err
		}
		xml, ok := texts[s.Tree]
		if !ok {
			if xml, err = tree.XML(s.Tree.Root(), s.Tree.Schema(), tree.WriteOptions{IDs: true}); err != nil {
				return err
			}
			texts[s.Tree] = xml
		}
		i := slices.IndexFunc(lines, func(t Tree) bool { return t.XML == xml && t.Dialogue == s.Dialogue })
		if i < 0 {
			i = len(lines)
			lines = append(lines, Tree{Dialogue: s.Dialogue, XML: xml})
		}
		lines[i].Samples = append(lines[i].Samples, s.ID)
	}
	if len(lines) == 0 {
		return nil
	}
	return WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, lines...) })
}
