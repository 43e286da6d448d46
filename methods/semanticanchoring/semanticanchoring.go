// Package semanticanchoring implements the memory of the Semantic Anchoring
// paper: utterances are stored with their vectors and with the annotations of a
// parser, a coreference resolver and a discourse tagger, and are found by both.
//
// A question is annotated like the conversation. Candidates come from the
// nearest vectors and from an inverted index of entities, dependencies and
// discourse relations; a weighted score of the parts ranks them (algorithm 1).
package semanticanchoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sourcegraph/conc"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/structure"
	"recallbench/methods"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/reader"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "semantic-anchoring",
	Doc:     "index utterances by vectors, entities, dependencies and discourse relations",
	Source:  "Semantic Anchoring paper, section 3 and appendix A",
	Options: Defaults(),
	Prompts: reader.Prompts(),
	Grid:    grid,
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if env.Embed == nil {
		return nil, errors.New("the model entry has no embedder, which semantic-anchoring needs")
	}
	annotator, err := linguistic.New(env, o.Layers)
	if err != nil {
		return nil, err
	}
	r, err := reader.New(env, o.Reader)
	if err != nil {
		return nil, err
	}
	return &method{Options: o, embed: env.Embed, annotator: annotator, reader: r, seed: env.Seed}, nil
}

type method struct {
	Options
	embed     embed.Model
	annotator *linguistic.Annotator
	reader    reader.Reader
	seed      uint64
}

// Build annotates the conversation and indexes it twice.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	end := meter.Stage(ctx, "annotate")
	history, err := m.annotator.History(ctx, s)
	end()
	if err != nil {
		return nil, err
	}
	d, err := m.newDense(ctx, history.Texts())
	if err != nil {
		return nil, err
	}
	return &memory{method: m, history: history, dense: d}, nil
}

type memory struct {
	*method
	history *linguistic.History
	dense   *dense // nil for an empty conversation
}

// Structure counts entries and entities.
func (m *memory) Structure() map[string]float64 {
	unparsed := 0
	for _, e := range m.history.Entries {
		unparsed += e.Unparsed
	}
	return map[string]float64{
		"entries": float64(len(m.history.Entries)), "entities": float64(len(m.history.Known)), "unparsed": float64(unparsed),
	}
}

// Show implements [methods.Shown]: the entities, the turns with their discourse
// relations and triples, and which turn mentions which entity.
func (m *memory) Show() structure.Structure {
	s := structure.Structure{Kind: structure.Graph}
	known := make(map[string]bool)
	var turns []structure.Node
	for _, e := range m.history.Entries {
		turn := structure.Node{ID: "turn " + e.Turn, Type: "turn", Label: e.Turn}
		if len(e.Senses) > 0 {
			turn.Fields = append(turn.Fields, append([]string{"discourse"}, e.Senses...))
		}
		if len(e.Triples) > 0 {
			triples := []string{"triples"}
			for _, t := range e.Triples {
				triples = append(triples, t.Key())
			}
			turn.Fields = append(turn.Fields, triples)
		}
		turns = append(turns, turn)
		for _, entity := range e.Entities {
			id := "entity " + cmp.Or(entity.ID, entity.Name)
			if !known[id] {
				known[id] = true
				s.Nodes = append(s.Nodes, structure.Node{ID: id, Type: cmp.Or(entity.Type, "entity"), Label: entity.Name})
			}
			if link := (structure.Link{From: id, To: turn.ID, Kind: "mentioned"}); !slices.Contains(s.Links[max(0, len(s.Links)-len(e.Entities)):], link) {
				s.Links = append(s.Links, link)
			}
		}
	}
	s.Nodes = append(s.Nodes, turns...)
	return s
}

// Items implements [methods.Storing]: the utterances.
func (m *memory) Items() (items []string, known bool) { return m.history.Lines(), true }

func (m *memory) Close() error { return nil }

// With returns the memory with other weights.
func (m *memory) With(options any) methods.Memory {
	method := *m.method
	method.Options = options.(Options)
	other := *m
	other.method = &method
	return &other
}

// Answer retrieves the best entries and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	found, question, err := m.search(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	blocks := make([]methods.Evidence, len(found))
	shown := make([]int, len(found))
	for i, c := range found {
		e := m.history.Entries[c.entry]
		blocks[i] = methods.Evidence{ID: e.ID(), Sources: []string{e.Turn}, Score: c.score, Text: serialise(e)}
		shown[i] = c.entry
	}
	m.history.Shown(ctx, question, shown)
	return m.reader.Answer(ctx, r, reader.Blocks(blocks, "\n\n"), blocks, m.step(question, found))
}

// search finds the k best entries for a question (algorithm 1). The two indexes
// are searched at the same time.
func (m *memory) search(ctx context.Context, text string) ([]candidate, linguistic.Features, error) {
	if m.dense == nil {
		return nil, linguistic.Features{}, nil
	}
	var vector []float32
	var nearby map[int]float64
	var question linguistic.Features
	var matches map[int]linguistic.Match
	var denseErr, symbolErr error
	var both conc.WaitGroup
	both.Go(func() { vector, nearby, denseErr = m.dense.search(ctx, text, nearest) })
	both.Go(func() {
		end := meter.Stage(ctx, "annotate")
		question, symbolErr = m.history.Question(ctx, text)
		end()
		if symbolErr == nil {
			defer meter.Stage(ctx, "symbolic")()
			matches = m.history.Match(question, m.EntityWeight.of)
		}
	})
	both.Wait()
	if err := errors.Join(denseErr, symbolErr); err != nil {
		return nil, question, fmt.Errorf("search: %w", err)
	}
	defer meter.Stage(ctx, "fusion")()
	all := candidates(nearby, matches, func(entry int) float64 { return m.dense.cosine(vector, entry) })
	return m.Weights.best(all, m.K), question, nil
}

// step records what was found in a question, and the parts of the scores.
func (m *memory) step(q linguistic.Features, found []candidate) methods.Step {
	entities, triples, scores := []string{}, []string{}, []map[string]any{}
	for _, e := range q.Entities {
		name := e.Name
		if e.ID != "" {
			name = e.ID + " " + name
		}
		entities = append(entities, name)
	}
	for _, t := range q.Triples {
		triples = append(triples, t.Key())
	}
	for _, c := range found {
		scores = append(scores, map[string]any{
			"turn": m.history.Entries[c.entry].Turn, "score": round(c.score), "similarity": round(c.similarity),
			"entities": round(c.Entities), "discourse": round(c.Discourse), "dependencies": round(c.Dependencies),
		})
	}
	return methods.Step{Name: "anchors", Data: map[string]any{
		"entities": entities, "triples": triples, "discourse": slices.Concat([]string{}, q.Senses), "scores": scores,
	}}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
