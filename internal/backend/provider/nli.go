package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/tei"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// free is the price of what runs on this machine.
var free = &price.Rates{}

// nliBatch is how many pairs of texts a request has at most.
const nliBatch = 32

// openNLI opens the door to entailment: a classifier behind text-embeddings-inference.
// In an estimate what is not recorded is as probable as not, since calls of language
// models alone are counted.
func (b *opening) openNLI() error {
	o := b.NLI
	if o.Use != "tei" {
		return nil
	}
	b.settings["nli"] = "tei " + cmp.Or(o.Model, o.provider())
	inner, err := b.calledNLI()
	if err != nil {
		return err
	}
	fixed, err := json.Marshal(map[string]any{
		"entailment": "", "contradiction": "", "over": o.Over, // labels are found by their names
	})
	if err != nil {
		return err
	}
	recorded := b.env.Calls.Scorer(calls.Identity{Class: "tei", Provider: o.provider(), Model: o.Model, Fixed: fixed}, inner)
	if o.Hypothesis != "{}" {
		b.settings["nli.hypothesis"] = o.Hypothesis
	}
	b.doors.NLI = nli.ScorerFunc(func(ctx context.Context, pairs []nli.Pair) (all []float64, err error) {
		filled := slices.Clone(pairs)
		for i, p := range pairs {
			filled[i].Hypothesis = strings.Replace(o.Hypothesis, "{}", p.Hypothesis, 1)
		}
		unsure := slices.Repeat([]float64{0.5}, len(pairs))
		if b.env.Estimate && b.env.Calls.Mode() != calls.Replay {
			return unsure, nil
		}
		for batch := range slices.Chunk(filled, nliBatch) {
			scores, err := recorded.Entail(ctx, batch)
			if b.env.Estimate && fault.KindOf(err) == fault.Miss {
				return unsure, nil
			}
			if err != nil {
				return nil, err
			}
			all = append(all, scores...)
		}
		return all, nil
	})
	return nil
}

// calledNLI returns the scorer that is called, behind the limits of its account; nil
// where nothing is called.
func (b *opening) calledNLI() (nli.Scorer, error) {
	o := b.NLI
	if !b.calls() {
		return nil, nil //nolint:nilnil // a recorder takes none
	}
	key, err := b.key(o.Server)
	s, fault := tei.New(o.BaseURL, key, o.Over)
	if err := errors.Join(err, fault); err != nil {
		return nil, err
	}
	g, _, err := b.gate(o.Server, o.Model, &price.Listing{}) // what it costs is not counted in tokens
	if err != nil {
		return nil, err
	}
	return nli.ScorerFunc(func(ctx context.Context, pairs []nli.Pair) (scores []float64, err error) {
		_, err = g.account.Do(ctx, 0, func(ctx context.Context) (_ int, err error) {
			scores, err = s.Entail(ctx, pairs)
			return 0, err
		})
		return scores, err
	}), nil
}
