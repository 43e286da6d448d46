package runners

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/price"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// A model is an entry of the models list, open for a seed.
type model struct {
	entry config.Entry
	seed  uint64
	spec  *backend.Spec
	doors backend.Doors
}

// identity returns the options that calls of some roles and embeddings depend on, for no
// roles those that answers do, as plain values.
func (m model) identity(roles ...string) map[string]any {
	if m.spec.Identity == nil {
		return plain(m.entry.Options)
	}
	return plain(m.spec.Identity(m.entry.Options, roles...))
}

// openModels opens the entries of the models list that have cells, each for
// every seed, one seed after another. All that fail are named. Those of one provider account
// share its limits, whatever their seed is.
func (p *Plan) openModels(ctx context.Context, plugins config.Plugins) ([]model, error) {
	env, err := p.backendEnv()
	if err != nil {
		return nil, err
	}
	type use struct {
		model string
		seed  uint64
	}
	run := make(map[use]bool)
	for c := range p.config.Cells() {
		run[use{c.Model, c.Seed}] = true
	}
	var models []model
	var faults []error
	for _, env.Seed = range p.config.EachSeed() {
		for _, entry := range p.config.Models {
			if !run[use{entry.Label, env.Seed}] {
				continue
			}
			m := model{entry: entry, seed: env.Seed, spec: find(plugins.Models, func(s *backend.Spec) bool { return s.Name == entry.Use })}
			env.Label = entry.Label
			if m.doors, err = m.spec.Open(ctx, env, entry.Options); err != nil {
				faults = append(faults, &modelError{entry.Label, err})
				continue
			}
			if m.doors.Close != nil {
				p.closers = append(p.closers, m.doors.Close)
			}
			models = append(models, m)
			if m.spec.Remote {
				p.header.Prices = env.Prices.Date()
			}
			if m.spec.Remote || m.spec.Records != nil && m.spec.Records(entry.Options) {
				p.header.Calls = string(env.Calls.Mode())
			}
		}
	}
	for _, entry := range p.config.Models {
		of := slices.DeleteFunc(slices.Clone(models), func(m model) bool { return m.entry.Label != entry.Label })
		if len(of) > 0 {
			p.header.Models = append(p.header.Models, describe(of))
		}
	}
	return models, distinct(faults)
}

// describe returns what the header says of an entry, which is open for several
// seeds: a setting that differs between them has the values of all.
func describe(models []model) record.Model {
	m := models[0]
	settings := maps.Clone(m.doors.Settings)
	for name := range settings {
		values := lists.Distinct(models, func(other model) string { return other.doors.Settings[name] })
		settings[name] = strings.Join(values, ", ")
	}
	roles := make(map[string]record.RoleModel)
	for role, s := range m.doors.Roles {
		roles[role] = record.RoleModel{Model: s.Model}
	}
	return record.Model{
		Label: m.entry.Label, Backend: m.entry.Use, Reader: m.doors.Reader, Offline: m.doors.Offline,
		Tokens: m.doors.Tokens.Name(), Settings: settings, Roles: roles,
	}
}

// backendEnv is what the models of the plan are opened with.
func (p *Plan) backendEnv() (backend.Env, error) {
	prices := price.Builtin()
	if file := p.config.Prices; file != "" {
		var err error
		if prices, err = price.Load(p.config.Path(file)); err != nil {
			return backend.Env{}, err
		}
	}
	return backend.Env{
		Seed: p.config.Seed, Base: p.config.Base, Log: p.env.Log, Getenv: p.env.Getenv,
		Calls: p.env.Calls, Limits: p.env.Limits, Shared: p.shared, Budget: p.env.Budget, BudgetUSD: p.config.Budget.USD > 0,
		Prices: prices, Estimate: p.env.Estimate,
	}, nil
}

// A modelError is a model that cannot be opened.
type modelError struct {
	label string
	err   error
}

func (e *modelError) Error() string { return fmt.Sprintf("model %s: %v", e.label, e.err) }
func (e *modelError) Unwrap() error { return e.err }
