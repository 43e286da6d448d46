// Package treeview shows the structured memory that a request of a run was asked of:
// the tree after the request, what the request changed, and what its query did; or what
// the memory of a conversation held, such as themes or entities.
package treeview

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/methods"
)

// ErrNoTree is the error of a request about a conversation whose memory nobody kept.
var ErrNoTree = errors.New("the question is about a conversation, and the contents of its memory were not recorded; 'structures: true' in the config records them for methods that support it")

// Of returns the tree of a request, or what the memory of its conversation held. In a
// dialogue the tree has the edits of the requests before, as their records have them.
func Of(run *scored.Run, q scored.Request) (s structure.Structure, err error) {
	first, dialogue, err := begun(run.Folder, q)
	if errors.Is(err, ErrNoTree) {
		return held(run.Folder, q)
	}
	if err != nil {
		return s, err
	}
	versions := tree.NewHistory(first)
	var notes []string
	if dialogue {
		if notes, err = replay(run, q, versions); err != nil {
			return s, err
		}
	}
	before := versions.Latest()
	after, err := before.Tree.Apply(q.Record.Edits...)
	if err != nil {
		return s, fmt.Errorf("the edits of the record do not fit the tree: %w", err)
	}
	query, steps := Execution(q.Record.Trace)
	s = structure.Tree(before.Tree, after, q.Record.Nodes, Weights(steps))
	s.Version, s.Query, s.Steps, s.Notes = before.Number, query, steps, notes
	if len(q.Record.Edits) > 0 {
		s.Version, s.Base = before.Number+1, before.Number
		s.Before = structure.Tree(nil, before.Tree, nil, nil).Nodes
	}
	return s, nil
}

// held returns what the memory of a conversation held, with the evidence of a request.
func held(folder record.Folder, q scored.Request) (s structure.Structure, err error) {
	err = ErrNoTree
	for line, fault := range record.Lines[record.Structure](folder.Structures(q.Cell.ID)) {
		if fault != nil {
			return s, fault
		}
		if line.Value.Sample == q.Record.Sample {
			s, err = line.Value.Holds, nil // the last counts
		}
	}
	about := Evidence(q)
	for i, n := range s.Nodes {
		s.Nodes[i].About = slices.Contains(about, n.ID)
	}
	return s, err
}

// Evidence returns the ids of the nodes that a request about a conversation rests on:
// its blocks of evidence and their turns.
func Evidence(q scored.Request) (ids []string) {
	for _, e := range q.Evidence {
		ids = append(ids, e.Name)
		for _, turn := range e.Sources {
			ids = append(ids, "turn "+turn)
		}
	}
	return ids
}

// begun returns the tree that the sample of a request begins with.
func begun(folder record.Folder, q scored.Request) (*tree.Tree, bool, error) {
	path := folder.Trees(q.Cell.Dataset)
	for line, err := range record.Lines[record.Tree](path) {
		if err != nil {
			return nil, false, err
		}
		if slices.Contains(line.Value.Samples, q.Record.Sample) {
			t, err := tree.ParseXML(path, strings.NewReader(line.Value.XML), tree.XMLOptions{})
			return t, line.Value.Dialogue, err
		}
	}
	return nil, false, ErrNoTree
}

// replay makes the versions of the requests before one, in the order of the dataset.
func replay(run *scored.Run, q scored.Request, versions *tree.History) (notes []string, err error) {
	type id struct{ Sample, Request string }
	records := make(map[string]record.Record)
	for line, err := range record.Lines[record.Record](run.Folder.Records(q.Cell.ID)) {
		if err != nil {
			return nil, err
		}
		if line.Value.Sample == q.Record.Sample {
			records[line.Value.Request] = line.Value // the last counts
		}
	}
	for line, err := range record.Parts[id](run.Folder.Gold(q.Cell.Dataset)) {
		if err != nil {
			return nil, err
		}
		g := line.Value
		if g.Sample != q.Record.Sample {
			continue
		}
		if g.Request == q.Record.Request {
			return notes, nil
		}
		r, ok := records[g.Request]
		if !ok {
			notes = append(notes, "task "+g.Request+" has no record; its edits are not shown")
			continue
		}
		if len(r.Edits) == 0 {
			continue
		}
		next, err := versions.Latest().Tree.Apply(r.Edits...)
		if err != nil {
			return nil, fmt.Errorf("the edits of task %s do not fit the tree: %w", g.Request, err)
		}
		if _, err := versions.Put(versions.Latest().Number, next, g.Request, ""); err != nil {
			return nil, err
		}
	}
	return notes, nil
}

// Execution returns the last query of a trace and its steps; none where the method runs
// no queries or explains none.
func Execution(trace []methods.Step) (query string, steps []semxpath.Step) {
	for _, s := range trace {
		if text, ok := s.Data["query"].(string); ok && s.Name == "query" {
			query = text
		}
		if s.Name != "matches" {
			continue
		}
		data, err := json.Marshal(s.Data["steps"])
		if err == nil {
			err = json.Unmarshal(data, &steps)
		}
		if err != nil {
			steps = nil // another method's step of the same name
		}
	}
	return query, steps
}

// Weights returns the relevance of the nodes that the last step selected.
func Weights(steps []semxpath.Step) map[string]float64 {
	if len(steps) == 0 {
		return nil
	}
	all := make(map[string]float64)
	for _, c := range steps[len(steps)-1].Candidates {
		all[c.ID] = c.Weight
	}
	return all
}
