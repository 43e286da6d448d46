package record

import (
	"context"
	"fmt"
	"io"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/jsonout"
)

// WriteGold writes the questions of entries with their gold answers, so that a
// run can be scored where its dataset is not.
func WriteGold(path string, set *datasets.Set, entries []datasets.Entry) error {
	return WriteFile(path, func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for _, e := range entries {
			for _, r := range e.Requests {
				gold, err := GoldOf(set, e.ID, r)
				if err != nil {
					return err
				}
				if err := enc.Encode(gold); err != nil {
					return err
				}
			}
		}
		return nil
	})
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
	return WriteFile(path, func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for _, e := range entries {
			s, err := set.Load(ctx, e.Place)
			if err != nil {
				return err
			}
			for _, session := range s.Sessions {
				for _, t := range session.Turns {
					if err := enc.Encode(Turn{s.ID, t.ID, session.ID, session.Time, t.Speaker}); err != nil {
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
	type key struct {
		xml      string
		dialogue bool
	}
	texts := make(map[*tree.Tree]string)
	places := make(map[key]int)
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
		k := key{xml, s.Dialogue}
		at, ok := places[k]
		if !ok {
			at = len(lines)
			places[k] = at
			lines = append(lines, Tree{Dialogue: s.Dialogue, XML: xml})
		}
		lines[at].Samples = append(lines[at].Samples, s.ID)
	}
	if len(lines) == 0 {
		return nil
	}
	return WriteFile(path, func(w io.Writer) error {
		return jsonout.Lines(w, lines...)
	})
}
