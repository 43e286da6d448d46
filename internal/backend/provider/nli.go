package provider

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/tei"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// free is the price of what runs on this machine.
var free = &price.Rates{}

// openTEI opens a classifier behind text-embeddings-inference.
func (b *opening) openTEI() (nli.Scorer, error) {
	o := b.NLI
	name := o.Model
	if name == "" {
		name = o.provider()
	}
	b.settings["nli"] = "tei " + name
	var inner nli.Scorer
	if b.calls() {
		s, g, err := b.newTEI()
		if err != nil {
			return nil, err
		}
		inner = limitedScorer{s, g}
	}
	id := calls.Identity{Class: "tei", Provider: o.provider(), Model: o.Model}
	return b.recordScorer(id, inner)
}

func (b *opening) newTEI() (*tei.Scorer, gate, error) {
	o := b.NLI
	key, err := o.Key.Read(b.env)
	if err != nil {
		return nil, gate{}, err
	}
	config := o.config()
	config.Key = key
	s, err := tei.New(config)
	if err != nil {
		return nil, gate{}, err
	}
	g, _, err := b.gate(o.Server, o.Model, &price.Listing{}) // what it costs is not counted in tokens
	return s, g, err
}

// openClassifier opens a local classifier.
func (b *opening) openClassifier() (nli.Scorer, error) {
	o := b.NLI
	id := calls.Identity{Class: "onnx", Provider: "local", Model: o.Model}
	var inner nli.Scorer
	if b.needsFiles(o.Model) {
		local := o.local(b.env)
		c, release, err := backend.Take(b.env.Shared, local, func() (*onnx.Classifier, error) { return onnx.OpenClassifier(local) })
		switch {
		case err == nil:
			b.closers = append(b.closers, release)
			inner = c
			if id.Model == "" {
				id.Model = localName(o.Dir, c.SHA256())
			}
		case !b.env.Estimate:
			return nil, err
		}
	}
	b.settings["nli"] = "onnx " + id.Model
	return b.recordScorer(id, inner)
}

// recordScorer wraps a scorer as the door.
func (b *opening) recordScorer(id calls.Identity, inner nli.Scorer) (nli.Scorer, error) {
	var err error
	id.Fixed, err = json.Marshal(map[string]any{
		"entailment": "", "contradiction": "", "over": b.NLI.Over, // labels are found by their names
	})
	if err != nil {
		return nil, err
	}
	scorer := batchedScorer{b.env.Calls.Scorer(id, inner), nliBatch}
	if b.env.Estimate {
		return unsure{scorer, b.env.Calls.Mode()}, nil
	}
	return scorer, nil
}

// unsure stands in for a scorer when only calls of language models are
// counted: what is not recorded is as probable as not.
type unsure struct {
	recorded nli.Scorer
	mode     calls.Mode // replay, or off for no recordings
}

func (u unsure) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	if u.mode == calls.Replay {
		scores, err := u.recorded.Entail(ctx, pairs)
		if fault.KindOf(err) != fault.Miss {
			return scores, err
		}
	}
	scores := make([]float64, len(pairs))
	for i := range scores {
		scores[i] = 0.5
	}
	return scores, nil
}

// localName names a local model by its folder and the hash of its files.
func localName(dir, sum string) string {
	return filepath.Base(dir) + " sha256:" + sum[:min(16, len(sum))]
}

// templated puts hypotheses into a template.
type templated struct {
	nli.Scorer
	template string
}

func (t templated) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	filled := make([]nli.Pair, len(pairs))
	for i, p := range pairs {
		filled[i] = nli.Pair{Premise: p.Premise, Hypothesis: strings.Replace(t.template, "{}", p.Hypothesis, 1)}
	}
	return t.Scorer.Entail(ctx, filled)
}
