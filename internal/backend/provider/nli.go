package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

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
	b.settings["nli"] = "tei " + cmp.Or(o.Model, o.provider())
	var inner nli.Scorer
	if b.calls() {
		key, err := o.Key.Read(b.env)
		if err != nil {
			return nil, err
		}
		s, err := tei.New(tei.Config{BaseURL: o.BaseURL, Key: key, Over: o.Over})
		if err != nil {
			return nil, err
		}
		g, _, err := b.gate(o.Server, o.Model, &price.Listing{}) // what it costs is not counted in tokens
		if err != nil {
			return nil, err
		}
		inner = limitedScorer{s, g}
	}
	return b.recordScorer(calls.Identity{Class: "tei", Provider: o.provider(), Model: o.Model}, inner)
}

// openClassifier opens a local classifier.
func (b *opening) openClassifier() (nli.Scorer, error) {
	o := b.NLI
	id := calls.Identity{Class: "onnx", Provider: "local", Model: o.Model}
	var inner nli.Scorer
	if b.needsFiles(o.Model) {
		local := o.local(b.env)
		c, err := openLocal(b, local, func() (*onnx.Classifier, error) { return onnx.OpenClassifier(local) })
		if err != nil {
			return nil, err
		}
		if c != nil {
			inner, id.Model = c, cmp.Or(id.Model, localName(o.Dir, c.SHA256()))
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
