package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	// NoCalls leaves out what calls a model: the stand-in answers in its place.
	NoCalls bool
	// Found is told of a finding about a model, by its label, or about the run,
	// where the label is empty.
	Found func(label string, f backend.Finding)
	// Cost is told of what trying the methods will take, before it does.
	Cost func(methods, models int, l Load)
}

// A Diagnosis says what a run would end with.
type Diagnosis struct {
	Config   int        // faults with which it does not begin
	Provider fault.Kind // of the first fault that stops it; empty for none
	Requests int        // trial requests that failed, for another reason
	Bytes    int64      // that it will write, about; 0 where it does not begin
}

// Examine tries everything that does not make something else impossible.
func (d *Doctor) Examine(ctx context.Context) (Diagnosis, error) {
	e := &examination{Doctor: d, failed: make(map[string]bool), context: make(map[string]int)}
	if d.Env.Calls == nil {
		d.Env.Calls = calls.NewRecorder(nil, calls.Off)
	}
	replay := d.Env.Calls.Mode() == calls.Replay
	if !replay && !d.NoCalls {
		if err := e.checkModels(ctx); err != nil {
			return e.diagnosis, err
		}
	}
	env := d.Env
	if !replay {
		env.Calls = calls.NewRecorder(nil, calls.Off)
	}
	plan, err := NewPlan(ctx, d.Config, d.Plugins, env)
	if ctx.Err() != nil {
		return e.diagnosis, errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		e.checkPlan(err)
		return e.diagnosis, nil
	}
	defer plan.Close()
	e.good("", "data", plan.dataText())
	for _, s := range plan.Skipped() {
		e.found("", backend.Finding{What: "data", Status: backend.Warning, Detail: s})
	}
	err = e.tryMethods(ctx, plan, replay || d.NoCalls)
	return e.diagnosis, err
}

// An examination is a config that is being tried.
type examination struct {
	*Doctor
	failed    map[string]bool // models, by label
	context   map[string]int  // tokens that a model takes, where the server says so, by label
	diagnosis Diagnosis
}

func (e *examination) found(label string, f backend.Finding) { e.Found(label, f) }

func (e *examination) good(label, what, detail string) {
	e.found(label, backend.Finding{What: what, Status: backend.Good, Detail: detail})
}

// checkModels tries the entries of the models list, one after the other.
func (e *examination) checkModels(ctx context.Context) error {
	env := e.Env
	env.Calls = calls.NewRecorder(nil, calls.Off)
	bare, err := newPlan(e.Config, env).backendEnv()
	if err != nil {
		return err
	}
	for _, entry := range e.Config.Models {
		spec := find(e.Plugins.Models, func(s *backend.Spec) bool { return s.Name == entry.Use })
		if spec.Check == nil {
			e.good(entry.Label, entry.Use, "needs nothing from outside")
			continue
		}
		for _, f := range spec.Check(ctx, bare, entry.Options) {
			e.found(entry.Label, f)
			e.context[entry.Label] = max(e.context[entry.Label], f.Context)
			if f.Status == backend.Missing {
				e.failed[entry.Label] = true
				e.diagnosis.Provider = fault.Unavailable
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
func (e *examination) checkPlan(err error) {
	for _, err := range faultsOf(err) {
		if m, ok := errors.AsType[*modelError](err); ok && e.failed[m.label] {
			continue
		}
		e.diagnosis.Config++
		e.found("", backend.Finding{What: "config", Status: backend.Missing, Detail: err.Error()})
	}
}

// faultsOf takes joined errors apart, also those of a model.
func faultsOf(err error) []error {
	if m, ok := err.(*modelError); ok { //nolint:errorlint // its own errors are taken apart
		return lists.Map(faultsOf(m.err), func(err error) error { return &modelError{m.label, err} })
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, faultsOf(err)...)
	}
	return all
}

// dataText says what a run asks about.
func (p *Plan) dataText() string {
	var texts []string
	for _, d := range p.sets {
		texts = append(texts, fmt.Sprintf("%s, %d requests, samples: %d, SHA-256 %.12s", d.label, countRequests(d.samples), len(d.samples), d.set.SHA256))
	}
	return strings.Join(texts, "; ")
}

// tryMethods builds a tiny memory of each method with each model and asks it a
// question: first with the stand-in in place of the models, which says what that takes,
// then as a run does.
func (e *examination) tryMethods(ctx context.Context, p *Plan, standIn bool) error {
	env := p.env
	env.Estimate, env.Calls = true, calls.NewRecorder(nil, calls.Off)
	counted := newPlan(p.config, env)
	defer counted.Close()
	counted.sets, counted.tuning, counted.metric = p.sets, p.tuning, p.metric
	if err := counted.layCells(ctx, e.Plugins); err != nil {
		e.checkPlan(err)
		return nil
	}
	var trials []*methodTrial
	total := nothing()
	methods, models := make(map[string]bool), make(map[string]bool)
	for i, c := range p.cells {
		if slices.ContainsFunc(trials, func(t *methodTrial) bool { return t.of(c) && t.real.sample.Tree != nil == c.samples[0].Tree }) {
			continue
		}
		t, err := tryStandIn(ctx, cellSample{plan: p, cell: c}, cellSample{plan: counted, cell: counted.cells[i]})
		if err != nil {
			return err
		}
		trials = append(trials, t)
		if c.Adapter != nil {
			e.good(c.Model, "method "+c.Method, c.AdapterNote()+", answers initialize")
		}
		if !c.doors.Offline && !e.failed[c.Model] {
			total = total.Add(t.tiny.ingest).Add(t.tiny.query)
			methods[c.Method], models[c.Model] = true, true
		}
	}
	switch {
	case len(models) == 0:
	case !standIn:
		e.Cost(len(methods), len(models), total)
	case total.USD == nil: // the checks of the models, which tell it, were left out
		e.found("", backend.Finding{
			What: "price", Status: backend.Warning, Detail: "that of a model is not known, nor will be what a run costs",
			Remedy: "set the option price to {input: ..., output: ...}, in dollars for a million tokens",
		})
	}
	for _, t := range trials {
		if err := e.tryMethod(ctx, t, standIn); err != nil {
			return err
		}
		for _, c := range p.cells {
			if t.of(c) {
				e.diagnosis.Bytes += bytesOf(c, max(t.tiny.query.Input, t.longest.query.Input))
			}
		}
	}
	return nil
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

// of reports whether the trial is of a cell's method and model.
func (t *methodTrial) of(c *cell) bool {
	return t.real.cell.Method == c.Method && t.real.cell.Model == c.Model
}

// maxBuilt is how many turns the stand-in builds a memory of, where the method asks a model
// for it.
const maxBuilt = 60

// tryStandIn tries a method with the stand-in: on the beginning of its first sample, and
// where that works on the longest.
func tryStandIn(ctx context.Context, own, standIn cellSample) (*methodTrial, error) {
	c := own.cell
	first, err := loadSample(ctx, c.set, c.samples[0])
	if err != nil {
		return nil, err
	}
	first.Requests = first.Requests[:1]
	own.sample = beginning(first, tinyTurns)
	standIn.sample = own.sample
	t := &methodTrial{real: own, tiny: standIn.try(ctx, nil)}
	if c.doors.Offline || t.tiny.failed > 0 {
		return t, context.Cause(ctx)
	}
	long, err := loadSample(ctx, c.set, slices.MaxFunc(c.samples, func(a, b datasets.Entry) int { return cmp.Compare(a.Text, b.Text) }))
	if err != nil {
		return nil, err
	}
	long.Requests = long.Requests[:1]
	if t.tiny.ingest.Calls > 0 {
		long = beginning(long, maxBuilt)
	}
	standIn.sample = long
	if took := standIn.try(ctx, nil); took.failed == 0 && took.query.Calls == 1 && took.query.Input > t.tiny.query.Input {
		t.longest = took
	}
	return t, context.Cause(ctx)
}

// tryMethod tries one method with one model.
func (e *examination) tryMethod(ctx context.Context, t *methodTrial, standIn bool) error {
	c := t.real.cell
	what := fmt.Sprintf("method %s on %s", c.Method, c.Dataset)
	switch {
	case e.failed[c.Model]:
		e.found(c.Model, backend.Finding{What: what, Status: backend.Warning, Detail: "not tried, because the model fails"})
		return ctx.Err()
	case standIn && c.unforeseen(t.tiny):
		e.found(c.Model, backend.Finding{
			What: what, Status: backend.Warning, Detail: "the adapter asks a model, which was not tried", Remedy: "try it without --no-calls",
		})
	case standIn && !c.doors.Offline:
		e.outcome(c, what, t.tiny, "a memory is built and a question answered, with the stand-in in place of the model")
	default:
		t.served = t.real.try(ctx, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.outcome(c, what, t.served, "a memory is built, and a question answered")
	}
	e.checkContext(t)
	return ctx.Err()
}

// outcome says what came of trying a method.
func (e *examination) outcome(c *cell, what string, t trial, good string) {
	switch {
	case t.failed == 0:
		e.good(c.Model, what, good)
		return
	case !t.kind.Stops():
		e.diagnosis.Requests++
	case e.diagnosis.Provider == "":
		e.diagnosis.Provider = t.kind
	}
	e.found(c.Model, backend.Finding{What: what, Status: backend.Missing, Detail: t.failure})
}

// scale is how many tokens the model reads for one that is counted before.
func (t *methodTrial) scale() float64 {
	if t.served.failed > 0 || t.served.query.Calls != t.tiny.query.Calls || t.tiny.query.Input == 0 {
		return 1
	}
	return float64(t.served.query.Input) / float64(t.tiny.query.Input)
}

// checkContext holds the longest prompt against what the model takes, in its own
// tokens.
func (e *examination) checkContext(t *methodTrial) {
	c, limit := t.real.cell, e.context[t.real.cell.Model]
	if t.longest.query.Calls == 0 || t.served.failed > 0 {
		return
	}
	room := int(math.Ceil(float64(t.longest.query.Input) * t.scale()))
	if most := t.longest.query.MostOutput; most != nil {
		room += *most
	}
	what := "longest prompt of " + c.Method + " on " + c.Dataset
	detail := fmt.Sprintf("%d tokens with the reply", room)
	switch {
	case limit == 0:
		e.good(c.Model, what, detail+"; the server does not say how many it takes")
	case room <= limit:
		e.good(c.Model, what, fmt.Sprintf("%s; the model takes %d", detail, limit))
	default:
		e.diagnosis.Requests++
		e.found(c.Model, backend.Finding{
			What: what, Status: backend.Missing, Detail: fmt.Sprintf("%s, and the model takes %d", detail, limit),
			Remedy: "let the server take more, name another model, or show less with an option such as k or context_limit",
		})
	}
}

// tinyTurns is how many turns a tiny sample has.
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

// bytesOf is about how much a cell writes: a record for each request, the text of
// its samples as evidence, and prompts of so many tokens where calls are recorded.
func bytesOf(c *cell, prompt int) (n int64) {
	const record, perToken = 4 << 10, 4
	each := record
	if !c.doors.Offline {
		each += perToken * prompt
	}
	for _, s := range c.samples {
		n += 2*s.Text + int64(len(s.Requests)*each)
	}
	return n
}
