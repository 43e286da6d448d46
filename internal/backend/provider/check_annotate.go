package provider

import (
	"context"
	"slices"

	"recallbench/internal/backend/annotators"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/llm"
)

// checkAnnotate tries the annotators that need something from outside.
func (c *checkup) checkAnnotate(ctx context.Context) {
	c.findings = append(c.findings, annotators.Check(ctx, c.env, c.Annotate)...)
	if !c.Annotate.UsesLLM() || c.chat == nil { // whose fault is reported
		return
	}
	const what = "annotate llm"
	a := annotate.FromChat(llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		return c.chat.ask(ctx, c.chat.now, r)
	}))
	r := annotate.Request{Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Anna took her sister to Leeds."}}}
	r.Layers = slices.DeleteFunc(annotate.Layers(), func(l annotate.Layer) bool { return c.Annotate.Of(l) != annotators.LLM })
	doc, err := a.Annotate(ctx, r)
	switch {
	case err != nil:
		c.missing(what, inLine(err.Error()), "take another backend for these layers in options.annotate")
	case slices.Contains(r.Layers, annotate.Dependencies) && doc.Sentences[0].Unparsed:
		c.warn(what, "its dependencies of a short sentence are none", "take another backend for options.annotate.dependencies, such as link-grammar")
	default:
		c.good(what, "a sentence was annotated")
	}
}
