package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/door/fault"
)

// A Doctor tries what a config names, as a run would use it, and calls Found with
// each finding. Nothing is recorded.
type Doctor struct {
	Config  *config.Config
	Plugins config.Plugins
	// Env is that of the run. In its mode replay no model is called, as the run
	// calls none.
	Env Env
	// NoCalls calls no model, and tries no method that needs one.
	NoCalls bool
	// Found is called for each finding about a model, by its label, or about the run, with
	// an empty label.
	Found func(label string, f backend.Finding)

	failed    map[string]bool // models, by label
	diagnosis Diagnosis
}

// A Diagnosis holds the errors that a run would end with.
type Diagnosis struct {
	Config   int        // faults with which it does not begin
	Provider fault.Kind // of the first fault that stops it; empty for none
	Requests int        // trial requests that failed, for another reason
}

// Examine runs all checks, except those that earlier failures make impossible.
func (d *Doctor) Examine(ctx context.Context) (Diagnosis, error) {
	d.failed = make(map[string]bool)
	off, env := calls.NewRecorder(nil, calls.Off), d.Env
	if env.Calls == nil || env.Calls.Mode() != calls.Replay {
		env.Calls = off
	}
	alone := d.NoCalls || env.Calls != off // no model is called
	if !alone {
		if err := d.checkModels(ctx, env); err != nil {
			return d.diagnosis, err
		}
	}
	plan, err := NewPlan(ctx, d.Config, d.Plugins, env)
	if ctx.Err() != nil {
		return d.diagnosis, errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		d.checkPlan(err)
		return d.diagnosis, nil
	}
	defer plan.Close()
	var texts []string
	for _, d := range plan.sets {
		texts = append(texts, fmt.Sprintf("%s, %d questions, conversations: %d, SHA-256 %.12s", d.label, countRequests(d.samples), len(d.samples), d.set.SHA256))
	}
	d.good("", "data", strings.Join(texts, "; "))
	for _, s := range plan.Skipped() {
		d.Found("", backend.Finding{What: "data", Status: backend.Warning, Detail: s})
	}
	return d.diagnosis, d.tryMethods(ctx, plan, alone)
}

func (d *Doctor) good(label, what, detail string) {
	d.Found(label, backend.Finding{What: what, Status: backend.Good, Detail: detail})
}

// checkModels tries the entries of the models list, one after the other.
func (d *Doctor) checkModels(ctx context.Context, env Env) error {
	bare, err := newPlan(d.Config, env).backendEnv()
	if err != nil {
		return err
	}
	for _, entry := range d.Config.Models {
		spec := find(d.Plugins.Models, func(s *backend.Spec) bool { return s.Name == entry.Use })
		if spec.Check == nil {
			d.good(entry.Label, entry.Use, "needs no server, key or file")
			continue
		}
		for _, f := range spec.Check(ctx, bare, entry.Options) {
			d.Found(entry.Label, f)
			if f.Status == backend.Missing {
				d.failed[entry.Label] = true
				d.diagnosis.Provider = fault.Unavailable
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// checkPlan tells why a run does not begin, each reason by itself. What is said of
// a model already is not said again.
func (d *Doctor) checkPlan(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // its own errors are taken apart
		for _, one := range joined.Unwrap() {
			d.checkPlan(one)
		}
		return
	}
	if m, ok := errors.AsType[*modelError](err); ok && d.failed[m.label] {
		return
	}
	d.diagnosis.Config++
	d.Found("", backend.Finding{What: "config", Status: backend.Missing, Detail: err.Error()})
}

// tryMethods builds a tiny memory of each method with each model and asks it a question, as
// a run does.
func (d *Doctor) tryMethods(ctx context.Context, p *Plan, alone bool) error {
	for i, c := range p.cells {
		if slices.ContainsFunc(p.cells[:i], func(o *cell) bool {
			return o.Method == c.Method && o.Model == c.Model && o.samples[0].Tree == c.samples[0].Tree
		}) {
			continue
		}
		if c.Adapter != nil {
			d.good(c.Model, "method "+c.Method, c.AdapterNote()+", answers initialize")
		}
		f, err := d.tryMethod(ctx, cellSample{plan: p, cell: c}, alone)
		if err = cmp.Or(context.Cause(ctx), err); err != nil {
			return err
		}
		f.What = fmt.Sprintf("method %s on %s", c.Method, c.Dataset)
		d.Found(c.Model, f)
	}
	return nil
}

// tinyTurns is how many turns a tiny memory is built of.
const tinyTurns = 6

// beginning is a sample with so many of its first turns.
func beginning(s datasets.Sample, left int) datasets.Sample {
	var sessions []datasets.Session
	for _, session := range s.Sessions {
		if left == 0 {
			break
		}
		session.Turns = session.Turns[:min(left, len(session.Turns))]
		left -= len(session.Turns)
		sessions = append(sessions, session)
	}
	s.Sessions = sessions
	return s
}

// tryMethod tries one method with one model, on the beginning of its first sample.
func (d *Doctor) tryMethod(ctx context.Context, t cellSample, alone bool) (backend.Finding, error) {
	switch {
	case d.failed[t.cell.Model]:
		return backend.Finding{Status: backend.Warning, Detail: "not tried, because the model failed"}, nil
	case alone && !t.cell.doors.Offline:
		return backend.Finding{Status: backend.Warning, Detail: "not tried, because no model is called"}, nil
	}
	entry := t.cell.samples[0]
	entry.Requests = entry.Requests[:1]
	sample, err := loadSample(ctx, t.cell.set, entry)
	if err != nil {
		return backend.Finding{}, err
	}
	t.sample = beginning(sample, tinyTurns)
	took := t.try(ctx, nil)
	switch {
	case took.failed == 0:
		return backend.Finding{Status: backend.Good, Detail: "built a memory and answered a question"}, nil
	case took.kind.Stops():
		d.diagnosis.Provider = cmp.Or(d.diagnosis.Provider, took.kind)
	default:
		d.diagnosis.Requests++
	}
	return backend.Finding{Status: backend.Missing, Detail: took.failure}, nil
}
