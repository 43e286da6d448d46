package flatrag

import (
	"context"
	"embed"

	"recallbench/datasets"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

//go:embed prompts
var files embed.FS

// itemsTemplate is the prompt of tasks about a tree.
const itemsTemplate = "items"

// items is the memory of a conversation with a tree: the nodes of its newest
// version as texts of their own fields, without their parents and children.
type items struct {
	*method
	state *handler.State
	of    *tree.Version // that is indexed
	nodes []*tree.Node
	index *ranked
}

// newItems returns a memory that keeps vectors for its later states.
func (m *method) newItems(state *handler.State) *items {
	return &items{method: m, state: state, index: &ranked{vectors: make(map[string][]float32)}}
}

// refresh indexes the newest version anew after an edit.
func (m *items) refresh(ctx context.Context) error {
	if m.of == m.state.Latest() {
		return nil
	}
	newest := m.state.Latest()
	var nodes []*tree.Node
	var texts []string
	for n := range newest.Tree.All() {
		nodes = append(nodes, n)
		texts = append(texts, handler.Item(n))
	}
	x, err := m.method.index(ctx, texts, m.index)
	if err != nil {
		return err
	}
	m.of, m.nodes, m.index = newest, nodes, x
	return nil
}

// Fork implements [methods.Forker]. The nodes are indexed at the first task.
func (m *items) Fork(versions *tree.History) methods.Memory {
	return m.newItems(m.state.Over(versions))
}

// Answer implements [methods.Memory].
func (m *items) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	if err := m.refresh(ctx); err != nil {
		return methods.Response{}, err
	}
	end := meter.Stage(ctx, "retrieve")
	hits, err := m.index.search(ctx, r.Text, m.Tree.K)
	end()
	if err != nil {
		return methods.Response{}, err
	}
	found := make([]handler.Found, len(hits))
	for i, h := range hits {
		found[i] = handler.Found{Path: []*tree.Node{m.nodes[h.Index]}, Score: h.Score}
	}
	return m.handler.Do(ctx, m.state, handler.Task{
		Template: itemsTemplate, Request: r.Text, Today: r.Time, From: m.of, Found: found, Format: handler.Items,
	})
}
