package runners

import (
	"fmt"
	"strings"

	"recallbench/internal/record"
	"recallbench/internal/tree"
)

// golds is what a dataset's answers are scored against.
type golds struct {
	gold     map[key]record.Gold
	order    []key // as asked
	trees    map[string]*tree.Tree
	dialogue map[string]bool // samples whose requests see each other's edits
}

// readGolds reads the gold answers of a dataset, and its trees.
func readGolds(folder record.Folder, d record.Dataset) (golds, error) {
	g := golds{gold: make(map[key]record.Gold, d.Requests), trees: make(map[string]*tree.Tree), dialogue: make(map[string]bool)}
	judged := false
	for line, err := range record.Lines[record.Gold](folder.Gold(d.Label)) {
		if err != nil {
			return golds{}, err
		}
		k := key{line.Value.Sample, line.Value.Request}
		g.gold[k] = line.Value
		g.order = append(g.order, k)
		judged = judged || line.Value.Expect != nil
	}
	if !judged {
		return g, nil
	}
	path := folder.Trees(d.Label)
	for line, err := range record.Lines[record.Tree](path) {
		if err != nil {
			return golds{}, err
		}
		t, err := tree.ParseXML(path, strings.NewReader(line.Value.XML), tree.XMLOptions{})
		if err != nil {
			return golds{}, err
		}
		for _, sample := range line.Value.Samples {
			g.trees[sample], g.dialogue[sample] = t, line.Value.Dialogue
		}
	}
	return g, nil
}

// A state is a tree around a request.
type state struct{ before, after *tree.Tree }

// replay works out the trees around each request from the edits of all.
func (g golds) replay(edits map[key][]tree.Edit) (map[key]state, error) {
	states := make(map[key]state)
	latest := make(map[string]*tree.Tree) // of dialogues
	for _, k := range g.order {
		first, ok := g.trees[k.sample]
		if !ok {
			continue
		}
		before := first
		if t, ok := latest[k.sample]; ok {
			before = t
		}
		after := before
		if e := edits[k]; len(e) > 0 {
			var err error
			if after, err = before.Apply(e...); err != nil {
				return nil, fmt.Errorf("request %s of %s: its edits cannot be made again: %w", k.request, k.sample, err)
			}
		}
		if g.dialogue[k.sample] {
			latest[k.sample] = after
		}
		states[k] = state{before, after}
	}
	return states, nil
}
