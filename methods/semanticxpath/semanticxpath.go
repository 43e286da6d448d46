// Package semanticxpath implements the method of the Semantic XPath paper: a
// structured memory with versions, from which a query retrieves what a task is
// about.
//
// A task passes four stages. Resolve asks a model what the task does and which
// version it is about. Translate asks it for a query. Execute runs the query
// over that version, with a scorer for its conditions. Handle asks the model for
// the answer, or for edits, from the retrieved nodes alone; edits make a new
// version.
package semanticxpath

import (
	"context"
	"embed"
	"errors"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

//go:embed prompts
var files embed.FS

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "semantic-xpath",
	Doc:     "translate tasks into queries over a tree, and answer or edit from the result",
	Source:  "Semantic XPath paper, sections 2 and 3",
	Options: Defaults(),
	Ingests: methods.Trees,
	Prompts: prompt.Join(prompt.Embedded(files), relevance.Prompts()),
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if env.LLM == nil {
		return nil, errors.New("the model entry has no language model, which is needed to translate tasks")
	}
	m := &method{Options: o, model: env.LLM, prompts: env.Prompts, k: mostNodes}
	templates := lists.Map(handler.Operations(), func(op handler.Operation) string { return string(op) })
	var err error
	if m.handler, err = handler.New(env, o.Ask, templates...); err != nil {
		return nil, err
	}
	for name, data := range map[string]any{"resolve": resolveData{Versions: 2}, "translate": translateData{}} {
		if _, err := env.Prompts.Render(name, data); err != nil {
			return nil, err
		}
	}
	switch o.Scorer.Kind {
	case Sem:
		if m.embed = env.Embed; m.embed == nil {
			err = errors.New("the model entry has no embedder, which the scorer sem needs; use another scorer.kind")
		}
	case Entail:
		if env.NLI == nil {
			return nil, errors.New("the model entry has no entailment model, which the scorer entail needs; use another scorer.kind")
		}
		m.scorer = relevance.Entailment(env.NLI)
	case Model:
		m.scorer, err = relevance.Model(env.LLM, env.Prompts, atOnce)
	}
	return m, err
}

type method struct {
	Options
	model   llm.Generator
	prompts *prompt.Set
	handler *handler.Handler
	k       int // nodes that a query with conditions retrieves

	scorer semxpath.Scorer // nil for one of embeddings, which each memory has of its own
	embed  embeds.Model
}

// Build takes the tree as the first version.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	if s.Tree == nil {
		return nil, errors.New("the conversation has no tree")
	}
	mem := &memory{m, handler.NewState(s), m.scorer}
	if mem.scorer != nil {
		return mem, nil
	}
	var texts []string
	for at := range tree.Walk(s.Tree.Root()) {
		texts = append(texts, semxpath.FieldText(tree.PathAt(s.Tree.Root(), at)))
	}
	var err error
	mem.scorer, err = relevance.NewSimilarity(ctx, m.embed, texts)
	return mem, err
}

type memory struct {
	*method
	state  *handler.State
	scorer semxpath.Scorer
}

// Answer passes a task through the stages. With an error comes the trace of
// those that were passed.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	a := &answer{memory: m, request: r}
	err := a.run(ctx)
	return a.response, err
}

// Fork implements [methods.Forker].
func (m *memory) Fork(versions *tree.History) methods.Memory {
	return &memory{m.method, m.state.Over(versions), m.scorer}
}

// An answer is a task on its way through the stages.
type answer struct {
	*memory
	request  datasets.Request
	response methods.Response
}

func (a *answer) run(ctx context.Context) error {
	res, err := a.resolve(ctx)
	if err != nil {
		return err
	}
	at, err := a.locate(ctx, res)
	if err != nil {
		return err
	}
	if res.Operation == handler.Restore {
		if done, err := a.restore(res, at); done || err != nil {
			return err
		}
	}
	found, err := a.find(ctx, res, at.version)
	if err != nil {
		return err
	}
	if res.Operation == handler.Restore && len(found) > 0 && len(found[0].Path) == 1 {
		return a.restoreAll(at.version)
	}
	return a.handle(ctx, res, at, a.withChange(found, at))
}

// trace appends a step to the trace.
func (a *answer) trace(s methods.Step) { a.response.Trace = append(a.response.Trace, s) }

// Options are the method's options. The paper does not give all of them:
// docs/methods.md says where each value comes from.
type Options struct {
	// Scorer says how conditions are scored.
	Scorer Scorer `yaml:"scorer"`
	// Ask configures the model calls, in all stages.
	Ask handler.Options `yaml:"ask"`
}

// A Scorer says how conditions are scored.
type Scorer struct {
	// Kind is the way of scoring.
	Kind Kind `yaml:"kind"`
}

// Kind is a way of scoring.
type Kind string

// The ways of scoring.
const (
	Sem    Kind = "sem"    // cosine of embeddings
	Entail Kind = "entail" // probability of entailment
	Model  Kind = "llm"    // a language model's score
)

// Values lists the ways of scoring.
func (Kind) Values() []string { return []string{string(Sem), string(Entail), string(Model)} }

// Defaults are the paper's, which has no threshold, and if it is silent those of
// the authors' released code.
func Defaults() Options { return Options{Scorer: Scorer{Kind: Entail}, Ask: handler.Defaults()} }

const (
	mostNodes = 20 // that a query with conditions retrieves
	attempts  = 3  // to get a query that parses
	atOnce    = 20 // texts that the llm scorer scores in one call
)
