package chat

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/record"
)

// Tasks are the turns of a path as a suite of requests about a tree, in the format
// that the dataset tasks reads.
type Tasks struct {
	Files  map[string][]byte // by path: DOMAIN/tree.xml, and multi.yaml or single.yaml
	Judged int               // turns with an expectation
	// Unjudged counts turns without a mark, and Left those that failed, which the
	// suite leaves out.
	Unjudged, Left int
}

type suiteFile struct {
	Today         string       `yaml:"today,omitempty"`
	Requests      []suiteTurn  `yaml:"requests,omitempty"`
	Conversations []suiteTurns `yaml:"conversations,omitempty"`
}

type suiteTurns struct {
	ID    string      `yaml:"id"`
	Turns []suiteTurn `yaml:"turns"`
}

type suiteTurn struct {
	ID       string              `yaml:"id"`
	Text     string              `yaml:"text"`
	Labels   map[string]string   `yaml:"labels,omitempty"`
	Expect   *expect.Expectation `yaml:"expect,omitempty"`
	Solution suiteSolution       `yaml:"solution"`
}

type suiteSolution struct {
	Nodes   []string    `yaml:"nodes,omitempty"`
	Answer  string      `yaml:"answer"`
	Edits   []suiteEdit `yaml:"edits,omitempty"`
	Restore int         `yaml:"restore,omitempty"`
}

type suiteEdit struct {
	Op     tree.Op           `yaml:"op"`
	ID     string            `yaml:"id,omitempty"`
	Parent string            `yaml:"parent,omitempty"`
	At     *int              `yaml:"at,omitempty"`
	Type   string            `yaml:"type,omitempty"`
	Fields map[string]string `yaml:"fields,omitempty"`
}

// Tasks makes a suite of the path to the head. Domain names its folder.
func (c *Chat) Tasks(domain string) (Tasks, error) {
	out := Tasks{Files: make(map[string][]byte)}
	h, err := c.Versions(c.Head)
	if err != nil {
		return out, err
	}
	x := exporter{chat: c, versions: h, made: make(map[string]string)}
	var turns []suiteTurn
	for _, t := range c.Path(c.Head) {
		if t.Record.Status != record.OK || t.Record.Answer == "" {
			out.Left++
			continue
		}
		turn, err := x.turn(t, len(turns)+1)
		if err != nil {
			return out, fmt.Errorf("turn %d: %w", t.ID, err)
		}
		if turn.Expect == nil {
			out.Unjudged++
		} else {
			out.Judged++
		}
		turns = append(turns, turn)
	}
	if len(turns) == 0 {
		return out, fmt.Errorf("the path to turn %d has no answered turn to export", c.Head)
	}
	f, name := suiteFile{Today: c.Start.Today, Requests: turns}, "single.yaml"
	if len(turns) > 1 {
		f, name = suiteFile{Today: c.Start.Today, Conversations: []suiteTurns{{c.Start.ID, turns}}}, "multi.yaml"
	}
	text, err := strictyaml.Encode(f)
	if err != nil {
		return out, err
	}
	xml, err := tree.XML(c.first.Root(), c.first.Schema(), tree.WriteOptions{IDs: true})
	if err != nil {
		return out, err
	}
	out.Files[path.Join(domain, name)], out.Files[path.Join(domain, treeFile)] = text, []byte(xml)
	return out, nil
}

// An exporter makes requests of turns, in the order of the path.
type exporter struct {
	chat     *Chat
	versions *tree.History
	made     map[string]string // ids of created nodes: as the suite has them
}

func (x *exporter) turn(t Turn, number int) (suiteTurn, error) {
	out := suiteTurn{ID: "t" + strconv.Itoa(number), Text: t.Text}
	if op := operation(t.Record); op != "" {
		out.Labels = map[string]string{"operation": op}
	}
	before := x.chat.version(t.Parent)
	restored := t.Version > before && t.Base > 0 && t.Base < before
	if restored {
		out.Solution.Restore = t.Base
	} else {
		for _, e := range t.Record.Edits {
			edits, err := x.edit(e)
			if err != nil {
				return out, err
			}
			out.Solution.Edits = append(out.Solution.Edits, edits...)
		}
	}
	m, marked := x.chat.Marks[t.ID]
	nodes := t.Record.Nodes
	if len(m.Required) > 0 {
		nodes = m.Required
	}
	for _, id := range nodes {
		out.Solution.Nodes = append(out.Solution.Nodes, x.id(id))
	}
	out.Solution.Answer = t.Record.Answer
	if m.Answer != "" {
		out.Solution.Answer = m.Answer
	}
	if !marked || !m.Right && len(m.Required) == 0 {
		return out, nil
	}
	out.Expect = &expect.Expectation{
		Accept: []expect.Retrieval{{Required: x.names(nodes), Allowed: x.names(m.Allowed)}},
		Answer: expect.Answer{Must: m.Must, Not: m.Not},
	}
	if restored || len(t.Record.Edits) > 0 {
		out.Expect.Tree = x.state(t.Record.Edits)
		if restored && t.Base == 1 {
			out.Expect.Tree = &expect.State{Restored: true}
		}
	}
	return out, nil
}

// operation returns what a request did: what the method resolved it to, else what its
// edits are; empty for edits of several kinds.
func operation(r record.Record) string {
	for _, s := range r.Trace {
		if op, ok := s.Data["operation"].(string); ok && s.Name == "resolve" {
			return op
		}
	}
	if len(r.Edits) == 0 {
		return "read"
	}
	for _, e := range r.Edits {
		if e.Op != r.Edits[0].Op {
			return ""
		}
	}
	return string(r.Edits[0].Op)
}

// edit returns an edit as the suite has it, of a created subtree one for each node.
func (x *exporter) edit(e tree.Edit) ([]suiteEdit, error) {
	if len(e.Unset) > 0 || e.Text != nil {
		return nil, fmt.Errorf("edit of %s: the format of tasks has no way to take a field away or to change character data", e.ID)
	}
	out := suiteEdit{Op: e.Op, ID: x.id(e.ID), Parent: x.id(e.Parent)}
	switch e.Op {
	case tree.Create:
		return x.create(*e.Node, out.Parent, &e.At)
	case tree.Move:
		out.At = &e.At
	case tree.Update:
		out.Fields = fields(e.Set)
	case tree.Delete: // its id says all
	}
	return []suiteEdit{out}, nil
}

func (x *exporter) create(d tree.Draft, parent string, at *int) ([]suiteEdit, error) {
	if d.Text != "" {
		return nil, fmt.Errorf("a created %s has character data, which the format of tasks cannot say", d.Type)
	}
	id := "x" + strconv.Itoa(len(x.made)+1)
	x.made[d.ID] = id
	all := []suiteEdit{{Op: tree.Create, ID: id, Parent: parent, At: at, Type: d.Type, Fields: fields(d.Fields)}}
	for _, c := range d.Children {
		below, err := x.create(c, id, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

func fields(list []tree.Field) map[string]string {
	all := make(map[string]string, len(list))
	for _, f := range list {
		all[f.Name] = strings.Join(f.Values, "; ")
	}
	return all
}

// id returns the id of a node in the suite.
func (x *exporter) id(id string) string {
	if made, ok := x.made[id]; ok {
		return made
	}
	return id
}

// names returns nodes as expectations name them: those that were made on the way by
// their names.
func (x *exporter) names(ids []string) (names []string) {
	for _, id := range ids {
		names = append(names, x.name(id))
	}
	return names
}

func (x *exporter) name(id string) string {
	if _, ok := x.chat.first.Node(id); ok {
		return id
	}
	for _, v := range slices.Backward(x.versions.Versions()) {
		if n, ok := v.Tree.Node(id); ok {
			return expect.ByName + n.Name()
		}
	}
	return id
}

// state returns what a tree has to be like after edits.
func (x *exporter) state(edits []tree.Edit) *expect.State {
	s := new(expect.State)
	for _, e := range edits {
		switch e.Op {
		case tree.Delete:
			s.Absent = append(s.Absent, x.name(e.ID))
		case tree.Move:
			s.Exists = append(s.Exists, expect.Node{ID: x.name(e.ID), Parent: x.name(e.Parent)})
		case tree.Update:
			if s.Fields == nil {
				s.Fields = make(map[string]map[string]expect.Value)
			}
			s.Fields[x.name(e.ID)] = equal(e.Set)
		case tree.Create:
			s.Exists = append(s.Exists, x.exists(*e.Node, e.Parent)...)
		}
	}
	return s
}

// exists says that created nodes are there, by the fields that name them.
func (x *exporter) exists(d tree.Draft, parent string) []expect.Node {
	n := expect.Node{Type: d.Type, Parent: x.name(parent), Fields: equal(d.Fields)}
	if i := slices.IndexFunc(d.Fields, func(f tree.Field) bool { return slices.Contains([]string{"name", "title", "label"}, f.Name) }); i >= 0 {
		n.Fields = equal(d.Fields[i : i+1])
	}
	all := []expect.Node{n}
	for _, c := range d.Children {
		all = append(all, x.exists(c, d.ID)...)
	}
	return all
}

func equal(list []tree.Field) map[string]expect.Value {
	all := make(map[string]expect.Value, len(list))
	for _, f := range list {
		all[f.Name] = expect.Value{Equals: []string{f.Value()}}
	}
	return all
}
