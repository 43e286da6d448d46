package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/tei"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// free is the price of what runs on this machine.
var free = &price.Rates{}

// openNLI opens the door to entailment: a classifier behind text-embeddings-inference.
func (b *opening) openNLI() error {
	o := b.NLI
	if o.Use != "tei" {
		return nil
	}
	b.settings["nli"] = "tei " + cmp.Or(o.Model, o.provider())
	var inner nli.Scorer
	if b.calls() {
		key, err := o.Key.Read(b.env)
		if err != nil {
			return err
		}
		s, err := tei.New(tei.Config{BaseURL: o.BaseURL, Key: key, Over: o.Over})
		if err != nil {
			return err
		}
		g, _, err := b.gate(o.Server, o.Model, &price.Listing{}) // what it costs is not counted in tokens
		if err != nil {
			return err
		}
		inner = limitedScorer{s, g}
	}
	fixed, err := json.Marshal(map[string]any{
		"entailment": "", "contradiction": "", "over": o.Over, // labels are found by their names
	})
	if err != nil {
		return err
	}
	id := calls.Identity{Class: "tei", Provider: o.provider(), Model: o.Model, Fixed: fixed}
	b.doors.NLI = batchedScorer{b.env.Calls.Scorer(id, inner), nliBatch}
	if b.env.Estimate {
		b.doors.NLI = unsure{b.doors.NLI, b.env.Calls.Mode()}
	}
	if o.Hypothesis != "{}" {
		b.doors.NLI = templated{b.doors.NLI, o.Hypothesis}
		b.settings["nli.hypothesis"] = o.Hypothesis
	}
	return nil
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
