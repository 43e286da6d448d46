package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
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
	// NoCalls calls no model; the stand-in answers instead.
	NoCalls bool
	// Found is called for each finding about a model, by its label, or about the run, with
	// an empty label.
	Found func(label string, f backend.Finding)
	// Cost is called with the cost of trying the methods, before models are called.
	Cost func(methods, models int, l Load)

	failed    map[string]bool // models, by label
	context   map[string]int  // tokens that a model takes, where the server says so, by label
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
	d.failed, d.context = make(map[string]bool), make(map[string]int)
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
	texts := lists.Map(plan.sets, func(d dataset) string {
		return fmt.Sprintf("%s, %d questions, conversations: %d, SHA-256 %.12s", d.label, countRequests(d.samples), len(d.samples), d.set.SHA256)
	})
	d.good("", "data", strings.Join(texts, "; "))
	for _, s := range plan.header.Skipped {
		d.Found("", backend.Finding{What: "data", Status: backend.Warning, Detail: s})
	}
	env.Estimate, env.Calls = true, off
	counted := newPlan(d.Config, env)
	defer counted.Close()
	counted.sets, counted.tuning, counted.metric = plan.sets, plan.tuning, plan.metric
	if err := counted.layCells(ctx, d.Plugins); err != nil {
		d.checkPlan(err)
		return d.diagnosis, nil
	}
	return d.diagnosis, d.tryMethods(ctx, plan, counted, alone)
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
			d.context[entry.Label] = max(d.context[entry.Label], f.Context)
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
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
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

// A methodTrial is a method with a model on a tiny sample.
type methodTrial struct {
	real   cellSample
	tiny   trial // with the stand-in
	served trial // with the model; empty where it was not asked
	// longest is what the longest sample with one request takes with the stand-in; empty
	// where no prompt would be longer than those of the tiny sample.
	longest trial
}

// tryMethods builds a tiny memory of each method with each model and asks it a
// question: first with the stand-in in place of the models, which says what that takes,
// then as a run does, unless the stand-in is alone.
func (d *Doctor) tryMethods(ctx context.Context, p, counted *Plan, alone bool) error {
	var trials []*methodTrial
	total := nothing()
	methods, models := make(map[string]bool), make(map[string]bool) // models: whether a price is unknown
	for i, c := range p.cells {
		tried := func(t *methodTrial) bool {
			other := t.real.cell
			return other.Method == c.Method && other.Model == c.Model && other.samples[0].Tree == c.samples[0].Tree
		}
		if slices.ContainsFunc(trials, tried) {
			continue
		}
		t, err := tryStandIn(ctx, cellSample{plan: p, cell: c}, cellSample{plan: counted, cell: counted.cells[i]})
		if err != nil {
			return err
		}
		trials = append(trials, t)
		if c.Adapter != nil {
			d.good(c.Model, "method "+c.Method, c.AdapterNote()+", answers initialize")
		}
		if !c.doors.Offline && !d.failed[c.Model] {
			total = total.Add(t.tiny.ingest).Add(t.tiny.query)
			methods[c.Method] = true
			models[c.Model] = models[c.Model] || t.tiny.ingest.USD == nil || t.tiny.query.USD == nil
		}
	}
	if len(models) > 0 {
		d.Cost(len(methods), len(models), total)
	}
	for _, label := range slices.Sorted(maps.Keys(models)) {
		if alone && models[label] { // the checks of the models, which tell it, were left out
			d.Found(label, backend.Finding{
				What: "price", Status: backend.Warning, Detail: "unknown, and so is the cost of a run",
				Remedy: "set the option price to {input: ..., output: ...}, in dollars per million tokens",
			})
		}
	}
	for _, t := range trials {
		if err := d.tryMethod(ctx, t, alone); err != nil {
			return err
		}
	}
	return nil
}

// What a memory is built of: so many turns of a tiny sample, and of the longest sample
// where the method asks a model for each.
const (
	tinyTurns = 6
	maxBuilt  = 60
)

// tryStandIn tries a method with the stand-in: on the beginning of its first sample, and
// where that works on the longest.
func tryStandIn(ctx context.Context, own, standIn cellSample) (*methodTrial, error) {
	c := own.cell
	load := func(e datasets.Entry) (datasets.Sample, error) {
		e.Requests = e.Requests[:1]
		return loadSample(ctx, c.set, e)
	}
	first, err := load(c.samples[0])
	if err != nil {
		return nil, err
	}
	own.sample = beginning(first, tinyTurns)
	standIn.sample = own.sample
	t := &methodTrial{real: own, tiny: standIn.try(ctx, nil)}
	if c.doors.Offline || t.tiny.failed > 0 {
		return t, context.Cause(ctx)
	}
	standIn.sample, err = load(slices.MaxFunc(c.samples, func(a, b datasets.Entry) int { return cmp.Compare(a.Text, b.Text) }))
	if err != nil {
		return nil, err
	}
	if t.tiny.ingest.Calls > 0 {
		standIn.sample = beginning(standIn.sample, maxBuilt)
	}
	if took := standIn.try(ctx, nil); took.failed == 0 && took.query.Calls == 1 && took.query.Input > t.tiny.query.Input {
		t.longest = took
	}
	return t, context.Cause(ctx)
}

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

// tryMethod tries one method with one model.
func (d *Doctor) tryMethod(ctx context.Context, t *methodTrial, alone bool) error {
	c, came, good := t.real.cell, t.tiny, "built a memory and answered a question, with the stand-in in place of the model"
	f := backend.Finding{What: fmt.Sprintf("method %s on %s", c.Method, c.Dataset), Status: backend.Warning}
	switch {
	case d.failed[c.Model]:
		f.Detail = "not tried, because the model failed"
	case alone && c.unforeseen(t.tiny):
		f.Detail, f.Remedy = "the adapter calls a model, which was not tried", "run doctor without --no-calls"
	case !alone || c.doors.Offline:
		t.served = t.real.try(ctx, nil)
		came, good = t.served, "built a memory and answered a question"
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case f.Detail != "":
		d.Found(c.Model, f)
		return nil
	case came.failed == 0:
		f.Status, f.Detail = backend.Good, good
	default:
		f.Status, f.Detail = backend.Missing, came.failure
		if came.kind.Stops() {
			d.diagnosis.Provider = cmp.Or(d.diagnosis.Provider, came.kind)
		} else {
			d.diagnosis.Requests++
		}
	}
	d.Found(c.Model, f)
	d.checkContext(t, alone)
	return nil
}

// checkContext compares the longest prompt with what the model accepts, in its own
// tokens: those that it counted of the tiny prompt tell how many it counts of another.
func (d *Doctor) checkContext(t *methodTrial, alone bool) {
	c, limit := t.real.cell, d.context[t.real.cell.Model]
	if t.longest.query.Calls == 0 || t.served.failed > 0 {
		return
	}
	scale := 1.0
	if t.served.query.Calls == t.tiny.query.Calls && t.tiny.query.Input > 0 {
		scale = float64(t.served.query.Input) / float64(t.tiny.query.Input)
	}
	room := int(math.Ceil(float64(t.longest.query.Input) * scale))
	if most := t.longest.query.MostOutput; most != nil {
		room += *most
	}
	f := backend.Finding{What: "longest prompt of " + c.Method + " on " + c.Dataset, Status: backend.Good, Detail: fmt.Sprintf("%d tokens with the reply", room)}
	switch {
	case alone:
		f.Detail += "; the server was not asked for its limit"
	case limit == 0:
		f.Detail += "; the server does not report its limit"
	case room <= limit:
		f.Detail += fmt.Sprintf("; the model accepts %d", limit)
	default:
		d.diagnosis.Requests++
		f.Status = backend.Missing
		f.Detail += fmt.Sprintf(", but the model accepts %d", limit)
		f.Remedy = "raise the server's limit, use another model, or shorten prompts with an option such as k or context_limit"
	}
	d.Found(c.Model, f)
}
