package record

import (
	"fmt"
	"io"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/jsonout"
)

// WriteGold writes the questions of samples with their gold answers, so that a
// run can be scored where its dataset is not.
func WriteGold(path string, set *datasets.Set, samples []datasets.Sample) error {
	return WriteFile(path, func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for _, s := range samples {
			for _, r := range s.Requests {
				gold, err := GoldOf(set, s, r)
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
func GoldOf(set *datasets.Set, s datasets.Sample, r datasets.Request) (Gold, error) {
	g, ok := set.Gold(s.ID, r.ID)
	if !ok {
		return Gold{}, fmt.Errorf("dataset %s has no gold for request %s of %s", set.Name, r.ID, s.ID)
	}
	return Gold{
		Sample: s.ID, Request: r.ID, Category: g.Category, Question: r.Text,
		Answer: g.Answer, Variants: g.Variants, Evidence: g.Evidence, Abstain: g.Abstain,
		Entities: g.Entities, History: history(s, g.Entities), Labels: g.Labels, Expect: g.Expect,
		Name: g.Name, Rubric: g.Rubric, Ordered: g.Ordered, Explanation: g.Explanation, Sessions: g.Sessions,
		Options: r.Options, Correct: g.Correct,
	}, nil
}

// history returns the turns of a sample that mention entities, in order.
func history(s datasets.Sample, entities []datasets.Entity) []Utterance {
	mentioned := make(map[string]bool)
	for _, e := range entities {
		for _, m := range e.Mentions {
			mentioned[m.Turn] = true
		}
	}
	var turns []Utterance
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			if mentioned[t.ID] {
				turns = append(turns, Utterance{Turn: t.ID, Speaker: t.Speaker, Text: t.Text})
			}
		}
	}
	return turns
}

// WriteTrees writes the structured memories of samples, each once for all
// samples that begin with it; nothing where they have none.
func WriteTrees(path string, samples []datasets.Sample) error {
	type key struct {
		xml      string
		dialogue bool
	}
	texts := make(map[*tree.Tree]string)
	places := make(map[key]int)
	var lines []Tree
	for _, s := range samples {
		if s.Tree == nil {
			continue
		}
		xml, ok := texts[s.Tree]
		if !ok {
			var err error
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
