package runners

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// golds is what a dataset's answers are scored against.
type golds struct {
	gold     map[key]record.Gold
	order    []key // as asked
	trees    map[string]*tree.Tree
	dialogue map[string]bool // samples whose requests see each other's edits
	keys     []errata.Key    // the one that counts first; empty where the published one alone is there
	changes  map[key]errata.Change
}

// readAllGolds is readGolds of each dataset of a run, by label.
func readAllGolds(folder record.Folder, h record.Header) (map[string]golds, error) {
	sets := make(map[string]golds)
	for _, d := range h.Datasets {
		var err error
		if sets[d.Label], err = readGolds(folder, d); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

func readGolds(folder record.Folder, d record.Dataset) (golds, error) {
	g := golds{
		gold: make(map[key]record.Gold, d.Requests), changes: make(map[key]errata.Change),
		trees: make(map[string]*tree.Tree), dialogue: make(map[string]bool), keys: []errata.Key{""},
	}
	var err error
	if len(d.Errata) > 0 {
		g.keys = lists.AddNew([]errata.Key{d.Key}, errata.Keys()...)
		err = eachLine(folder.Errata(d.Label), func(c errata.Change) { g.changes[key{c.Sample, c.Request}] = c })
	}
	judged := false
	err = errors.Join(err, eachLine(folder.Gold(d.Label), func(gold record.Gold) {
		k := key{gold.Sample, gold.Request}
		g.gold[k] = gold
		g.order = append(g.order, k)
		judged = judged || gold.Expect != nil
	}))
	if !judged || err != nil {
		return g, err
	}
	path := folder.Trees(d.Label)
	for line, err := range record.Values[record.Tree](path) {
		if err != nil {
			return golds{}, err
		}
		t, err := tree.ParseXML(path, strings.NewReader(line.XML), tree.XMLOptions{})
		if err != nil {
			return golds{}, err
		}
		for _, sample := range line.Samples {
			g.trees[sample], g.dialogue[sample] = t, line.Dialogue
		}
	}
	return g, nil
}

// item is what a metric sees of a request before it is answered.
func (g golds) item(k key) metrics.Item {
	item := itemOf(g.gold[k])
	item.First = g.trees[k.Sample]
	return item
}

func itemOf(gold record.Gold) metrics.Item {
	item := metrics.Item{
		Category: gold.Category, Question: gold.Question, Gold: gold.Answer, Variants: gold.Variants, Abstain: gold.Abstain,
		GoldEvidence: gold.Evidence, Expect: gold.Expect,
		Rubric: gold.Rubric, Ordered: gold.Ordered, Explanation: gold.Explanation, Correct: gold.Correct, Values: gold.Values,
	}
	item.Options = lists.Map(gold.Options, func(o datasets.Option) metrics.Option { return metrics.Option(o) })
	item.Entities = lists.Map(gold.Entities, func(e datasets.Entity) metrics.Entity {
		mentions := lists.Map(e.Mentions, func(m datasets.Mention) metrics.Mention { return metrics.Mention(m) })
		return metrics.Entity{ID: e.ID, Names: e.Names, Mentions: mentions}
	})
	item.History = lists.Map(gold.History, func(u record.Utterance) metrics.Turn {
		return metrics.Turn{ID: u.Turn, Speaker: u.Speaker, Text: u.Text}
	})
	return item
}

// A state is a tree around a request.
type state struct{ before, after *tree.Tree }

// replay works out the trees around each request from the edits of all records.
func (g golds) replay(records []record.Record) (map[key]state, error) {
	if len(g.trees) == 0 {
		return nil, nil
	}
	edits := make(map[key][]tree.Edit)
	for _, r := range records {
		edits[key{r.Sample, r.Request}] = r.Edits
	}
	states := make(map[key]state)
	latest := maps.Clone(g.trees) // dialogues change theirs
	for _, k := range g.order {
		before := latest[k.Sample]
		if before == nil {
			continue
		}
		after := before
		if e := edits[k]; len(e) > 0 {
			var err error
			if after, err = before.Apply(e...); err != nil {
				return nil, fmt.Errorf("task %s of %s: its edits cannot be repeated: %w", k.Request, k.Sample, err)
			}
		}
		if g.dialogue[k.Sample] {
			latest[k.Sample] = after
		}
		states[k] = state{before, after}
	}
	return states, nil
}

// under returns what a request is scored against under a key.
func (g golds) under(k key, name errata.Key) errata.Ruling {
	if change, ok := g.changes[k]; ok {
		return change.Under(name)
	}
	return errata.Ruling{Published: true}
}

// ruling is under for the key that counts, by which judges are asked. A question that it
// leaves out is judged by the published answer.
func (g golds) ruling(k key) errata.Ruling {
	if len(g.keys) > 0 {
		if r := g.under(k, g.keys[0]); !r.Out {
			return r
		}
	}
	return errata.Ruling{Published: true}
}

// told returns the right answers under a ruling as a judge is told them; empty for the
// published one alone.
func told(gold record.Gold, r errata.Ruling) string {
	answers := r.Answers
	if r.Published && gold.Answer != "" && len(answers) > 0 {
		answers = append([]string{gold.Answer}, answers...)
	}
	if len(answers) > 1 {
		return "any one of these is right: " + strings.Join(answers, "; ")
	}
	return strings.Join(answers, "")
}

// ruled returns an item for each gold answer that a ruling accepts.
func ruled(item metrics.Item, r errata.Ruling, noEvidence bool) []metrics.Item {
	if len(r.Evidence) > 0 && !noEvidence {
		item.GoldEvidence = r.Evidence
	}
	if r.Category != "" {
		item.Category = r.Category
	}
	if len(r.Answers) == 0 {
		return []metrics.Item{item}
	}
	var items []metrics.Item
	if r.Published {
		items = append(items, item)
	} else {
		item.Variants = nil
	}
	for _, answer := range r.Answers {
		item.Gold, item.Abstain = answer, false
		items = append(items, item)
	}
	return items
}

// best scores items that differ in their gold answers: a column of answers has the
// best of its values, any other that of the first.
func best(spec *metrics.Spec, items []metrics.Item) []metrics.Value {
	values := spec.Score(items[0])
	if spec.Of != metrics.Answer {
		return values
	}
	for _, item := range items[1:] {
		for i, v := range spec.Score(item) {
			better := v.X > values[i].X
			if spec.Columns[i].Lower {
				better = v.X < values[i].X
			}
			if v.Defined && (better || !values[i].Defined) {
				values[i] = v
			}
		}
	}
	return values
}
