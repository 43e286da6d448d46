package chat

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
	"recallbench/runners"
)

// An Example is a chat that pages offer to begin with.
type Example struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Source Source `json:"source"`
	Method string `json:"method"`
	Today  string `json:"today,omitempty"`
	// Requests are the first turns, to be asked one after the other.
	Requests []string `json:"requests"`
}

// The first example is after the case study of the Semantic XPath paper, appendix C: a
// stop is cancelled, ten edits and questions later its time is asked for.
//
//go:embed examples
var files embed.FS

// Examples returns the chats that pages offer.
func Examples() (all []Example, err error) {
	data, err := files.ReadFile("examples/examples.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	for i := range all {
		if s := &all[i].Source; s.XML != "" && err == nil {
			data, err = files.ReadFile("examples/" + s.XML)
			s.XML = string(data)
		}
	}
	return all, err
}

// A House opens memories for chats.
type House struct {
	Plugins config.Plugins
	Env     runners.Env // Calls and Budget are set for each chat
	// Recorder opens the recordings in a mode.
	Recorder func(mode calls.Mode) (*calls.Recorder, error)
	// Models are entries of a models list, as a config has them, by name: the path of a
	// file, or a mapping. The model stand-in is always there.
	Models map[string]any
	// Trees is the folder of the user's own suites; empty for none.
	Trees string
}

// Choices are what chats can be about.
type Choices struct {
	Datasets []string `json:"datasets"` // whose data is part of the program
	Methods  []string `json:"methods"`
	Models   []string `json:"models"`
	Samples  []string `json:"samples"` // of the dataset that was asked for
}

// Choices lists what a chat can be about, with the samples of a dataset where one is named.
func (h House) Choices(ctx context.Context, dataset string, options map[string]any) (c Choices, err error) {
	c.Models, c.Samples = append([]string{"stand-in"}, slices.Sorted(maps.Keys(h.Models))...), []string{}
	for _, d := range h.Plugins.Datasets {
		if d.Embedded {
			c.Datasets = append(c.Datasets, d.Name)
		}
	}
	for _, m := range h.Plugins.Methods {
		if m.Name != "external" {
			c.Methods = append(c.Methods, m.Name)
		}
	}
	if dataset == "" {
		return c, nil
	}
	conf, err := h.config(Start{Source: Source{Dataset: dataset, Options: options}, Method: "stateless"}, false, 0)
	if err != nil {
		return c, err
	}
	plan, err := h.plan(ctx, conf, budget.New(0, 0))
	if err != nil {
		return c, err
	}
	c.Samples = append(c.Samples, plan.SampleIDs()...)
	return c, plan.Close()
}

// plan lays the plan of a chat.
func (h House) plan(ctx context.Context, c *config.Config, b *budget.Budget) (*runners.Plan, error) {
	recorder, err := h.Recorder(c.Calls.Mode)
	if err != nil {
		return nil, err
	}
	recorder.RecordStandIn(true)
	env := h.Env
	env.Budget, env.Calls = b, recorder
	return runners.NewPlan(ctx, c, h.Plugins, env)
}

// Open is an [Engine]'s Open.
func (h House) Open(ctx context.Context, s Start, own *tree.Tree, b *budget.Budget) (_ Room, err error) {
	usd := b.LeftUSD()
	c, err := h.config(s, own != nil, usd)
	if err != nil {
		return nil, err
	}
	if usd <= 0 && c.Calls.Mode != calls.Replay && c.Remote(h.Plugins) {
		return nil, ErrCosts
	}
	plan, err := h.plan(ctx, c, b)
	if err != nil {
		return nil, err
	}
	sample := datasets.Sample{ID: "own", Tree: own}
	if own == nil {
		sample, err = plan.Sample(ctx, s.Source.Sample)
	}
	var conversation *runners.Conversation
	if err == nil {
		conversation, err = plan.Converse(ctx, sample)
	}
	if err != nil {
		return nil, errors.Join(err, plan.Close())
	}
	return conversation, nil
}

// config is the config of a chat: one dataset, one method, one model.
func (h House) config(s Start, own bool, usd float64) (*config.Config, error) {
	if s.Method == "external" {
		return nil, errors.New("method external runs a program, which chats cannot do; use a run")
	}
	for _, text := range append(textsOf(s.Source.Options), textsOf(s.Options)...) {
		named := strings.ContainsAny(text, `/\`) || text == ".." || text == "."
		if rel, err := filepath.Rel(h.Trees, text); named && (h.Trees == "" || err != nil || !filepath.IsLocal(rel)) {
			return nil, fmt.Errorf("an option is %q, which may name a file; chats only read files below --trees", text)
		}
	}
	var model any = map[string]any{"use": "stand-in"}
	if s.Model != "" && s.Model != "stand-in" {
		if model = h.Models[s.Model]; model == nil {
			return nil, errors.New(suggest.Unknown("model", s.Model, append(slices.Sorted(maps.Keys(h.Models)), "stand-in")))
		}
	}
	entry := func(use string, options map[string]any) []any {
		if len(options) == 0 {
			return []any{map[string]any{"use": use}}
		}
		return []any{map[string]any{"use": use, "options": options}}
	}
	dataset := entry(s.Source.Dataset, s.Source.Options)
	if own { // any tree will do until the chat's own takes its place
		dataset = entry("tasks", map[string]any{"turns": "multi", "domains": []string{"todo"}})
	}
	text, err := json.Marshal(map[string]any{
		"name": "chat", "datasets": dataset, "methods": entry(cmp.Or(s.Method, "semantic-xpath"), s.Options), "models": []any{model},
		"calls": map[string]any{"mode": cmp.Or(calls.Mode(s.Mode), calls.Reuse)}, "budget": map[string]any{"usd": usd}, "seed": cmp.Or(s.Seed, 1),
	})
	if err != nil {
		return nil, err
	}
	return config.Parse("chat", text, h.Plugins)
}

// textsOf returns the texts in a value of JSON.
func textsOf(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			texts = append(texts, textsOf(x)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, textsOf(v[key])...)
		}
	}
	return texts
}
