package chat

import (
	"cmp"
	"context"
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

// A House opens memories for chats.
type House struct {
	Plugins config.Plugins
	Env     runners.Env // Calls and Budget are set for each chat
	// Recorder opens the recordings in a mode; done closes them.
	Recorder func(mode calls.Mode) (r *calls.Recorder, done func(), err error)
	// Models are entries of a models list, as a config has them, by name. The model
	// stand-in is always there.
	Models map[string]map[string]any
	// Base is the folder that relative paths of Models start from, and Trees that of
	// the user's own suites; empty for none.
	Base, Trees string
}

// A room is a conversation with its recordings.
type room struct {
	*runners.Conversation
	done func()
}

func (r room) Close() error {
	defer r.done()
	return r.Conversation.Close()
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
	recorder, done, err := h.Recorder(c.Calls.Mode)
	if err != nil {
		return nil, err
	}
	var plan *runners.Plan
	defer func() {
		if err == nil {
			return
		}
		if plan != nil {
			err = errors.Join(err, plan.Close())
		}
		done()
	}()
	recorder.RecordStandIn(true)
	env := h.Env
	env.Budget, env.Calls = b, recorder
	if plan, err = runners.NewPlan(ctx, c, h.Plugins, env); err != nil {
		return nil, err
	}
	sample, ok := datasets.Sample{ID: "own", Tree: own}, own != nil
	if !ok {
		sample, ok, err = plan.Sample(ctx, s.Source.Sample)
	}
	if err == nil && !ok {
		err = fmt.Errorf("dataset %s has no sample %q", s.Source.Dataset, s.Source.Sample)
	}
	if err != nil {
		return nil, err
	}
	conversation, err := plan.Converse(ctx, sample)
	if err != nil {
		return nil, err
	}
	return room{conversation, done}, nil
}

// config is the config of a chat: one dataset, one method, one model.
func (h House) config(s Start, own bool, usd float64) (*config.Config, error) {
	mode := cmp.Or(calls.Mode(s.Mode), calls.Reuse)
	model := map[string]any{"use": "stand-in"}
	if s.Model != "" && s.Model != "stand-in" {
		var ok bool
		if model, ok = h.Models[s.Model]; !ok {
			return nil, errors.New(suggest.Unknown("model", s.Model, append(slices.Sorted(maps.Keys(h.Models)), "stand-in")))
		}
	}
	dataset := map[string]any{"use": s.Source.Dataset}
	if len(s.Source.Options) > 0 {
		dataset["options"] = s.Source.Options
	}
	if own { // any tree will do until the chat's own takes its place
		dataset = map[string]any{"use": "tasks", "options": map[string]any{"turns": "multi", "domains": []string{"todo"}}}
	}
	if s.Method == "external" {
		return nil, errors.New("method external runs a program, which a chat does not; a run does")
	}
	method := map[string]any{"use": cmp.Or(s.Method, "semantic-xpath")}
	if len(s.Options) > 0 {
		method["options"] = s.Options
	}
	if err := errors.Join(h.paths("source.options", s.Source.Options), h.paths("options", s.Options)); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{
		"name": "chat", "datasets": []any{dataset}, "methods": []any{method}, "models": []any{model},
		"calls": map[string]any{"mode": mode}, "budget": map[string]any{"usd": usd}, "seed": cmp.Or(s.Seed, 1),
	})
	if err != nil {
		return nil, err
	}
	return config.Parse(filepath.Join(h.Base, "chat"), text, h.Plugins)
}

// paths reports texts of options that name a file outside of the user's suites.
func (h House) paths(name string, value any) error {
	switch v := value.(type) {
	case map[string]any:
		var faults []error
		for _, key := range slices.Sorted(maps.Keys(v)) {
			faults = append(faults, h.paths(name+"."+key, v[key]))
		}
		return errors.Join(faults...)
	case []any:
		var faults []error
		for i, x := range v {
			faults = append(faults, h.paths(fmt.Sprintf("%s[%d]", name, i), x))
		}
		return errors.Join(faults...)
	case string:
		if !strings.ContainsAny(v, `/\`) && v != ".." && v != "." {
			return nil
		}
		if h.Trees != "" {
			if rel, err := filepath.Rel(h.Trees, v); err == nil && filepath.IsLocal(rel) {
				return nil
			}
		}
		return fmt.Errorf("%s is %q, which may name a file; a chat reads none but those below --trees", name, v)
	}
	return nil
}
