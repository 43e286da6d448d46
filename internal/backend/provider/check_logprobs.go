package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/backend"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// proberTokens is how many tokens of an answer a prober is asked for.
const proberTokens = 20

// checkLogprobs asks for log-probabilities: of a prober as a method does, and of
// another model with the likeliest tokens.
func (t *chatTrial) checkLogprobs(ctx context.Context) {
	what := t.door + " log-probabilities"
	report := func(detail, use string) { t.warn(what, detail, use) }
	use := "only methods that measure how sure the model is need them; for those name a model that gives them in options.roles.probe"
	_, elsewhere := t.Roles[probe]
	switch {
	case t.prober:
		report = func(detail, use string) { t.missing(what, detail, use) }
		use = "take a model or a server that gives them"
	case elsewhere:
		report = func(detail, _ string) { t.good(what, detail+"; options.roles.probe is asked for them") }
	}
	if t.door != "chat" && !t.prober {
		return // it is not asked for them
	}
	if slices.Contains(t.now.Omit, "logprobs") {
		report("not asked for, as the option omit says", use)
		return
	}
	r := question("Reply with one word: ready", replyTokens)
	r.Params.Logprobs, r.Params.TopLogprobs = true, checkTop
	if t.prober {
		r.Plain, r.Params.MaxTokens, r.Params.TopLogprobs = true, proberTokens, 0
	}
	reply, err := t.ask(ctx, t.now, r)
	status, detail := describe(reply, err, t.prober || slices.Contains(t.now.Omit, "top_logprobs"))
	switch {
	case fault.KindOf(err) == fault.NoLogprobs:
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Status != 0 {
			detail = "refused: " + t.said(err)
		}
		report(detail, use)
	case err != nil:
		report("refused: "+t.said(err), use)
	case status == backend.Good:
		t.good(what, detail)
	default:
		report(detail, use)
	}
}

// describe says which log-probabilities came with a reply.
func describe(reply llm.Reply, err error, noTop bool) (backend.FindingStatus, string) {
	least := checkTop
	for _, l := range reply.Logprobs {
		least = min(least, len(l.Top))
	}
	switch {
	case err != nil || len(reply.Logprobs) == 0:
		return backend.Warning, "the server leaves them out"
	case noTop:
		return backend.Good, "those of the tokens written"
	case least < checkTop:
		return backend.Warning, fmt.Sprintf("with %d of the %d likeliest tokens asked for", least, checkTop)
	default:
		return backend.Good, fmt.Sprintf("with the %d likeliest tokens", checkTop)
	}
}
