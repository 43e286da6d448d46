package annotators

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/linkgrammar"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// checkTime is how long a check waits. A server loads its models with the first
// request.
const checkTime = 2 * time.Minute

// tried is a sentence whose subject and object a parser should find, and in which
// somebody is mentioned twice.
const tried = "Anna took her sister to Leeds."

// Check tries the backends that need something from outside, but not a chat model:
// nothing where rules annotate.
func Check(ctx context.Context, env backend.Env, o Options) []backend.Finding {
	var found []backend.Finding
	if o.uses(LinkGrammar) {
		found = append(found, checkParser(ctx, o.LinkGrammar))
	}
	if o.uses(CoreNLP) {
		found = append(found, checkServer(ctx, env, o))
	}
	return found
}

func checkParser(ctx context.Context, o ParserOptions) backend.Finding {
	f := backend.Finding{What: "annotate link-grammar", Status: backend.Missing}
	a, err := linkgrammar.New(o.options())
	if err != nil {
		f.Detail, f.Remedy = "there is no program "+o.Command, linkgrammar.Install+", or correct options.annotate.link_grammar.command"
		return f
	}
	defer func() { _ = a.Close() }() // nothing was written
	r := annotate.Request{Layers: []annotate.Layer{annotate.Dependencies}, Utterances: []annotate.Utterance{{Text: tried}}}
	doc, err := a.Annotate(ctx, r)
	switch {
	case err != nil:
		f.Detail, f.Remedy = strings.TrimPrefix(err.Error(), string(fault.Unavailable)+": link-grammar: "), "look at options.annotate.link_grammar, and "+linkgrammar.Install
	case doc.Sentences[0].Failed:
		f.Detail, f.Remedy = "the parser hung or died at a short sentence", "run "+o.Command+" by hand, and look at options.annotate.link_grammar.timeout"
	case doc.Sentences[0].Unparsed:
		f.Detail, f.Remedy = "the parser found nothing in a short sentence", linkgrammar.Install
	default:
		f.Status, f.Detail = backend.Good, fmt.Sprintf("version %s parses %q: %d dependencies", o.Version, tried, len(doc.Sentences[0].Dependencies))
	}
	return f
}

func checkServer(ctx context.Context, env backend.Env, o Options) backend.Finding {
	f := backend.Finding{What: "annotate corenlp", Status: backend.Missing}
	a, err := o.CoreNLP.client(env)
	if err != nil {
		f.Detail, f.Remedy = err.Error(), "correct options.annotate.corenlp"
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, min(checkTime, o.CoreNLP.Limits.Attempt))
	defer cancel()
	r := annotate.Request{Utterances: []annotate.Utterance{{Speaker: "Ann", Text: tried}}}
	for _, l := range annotate.Layers() {
		if o.Of(l) == CoreNLP {
			r.Layers = append(r.Layers, l)
		}
	}
	doc, err := a.Annotate(ctx, r)
	switch kind := fault.KindOf(err); {
	case kind == fault.Timeout:
		f.Detail, f.Remedy = o.CoreNLP.BaseURL+": "+err.Error(), "wait until the server has loaded its models, minutes on a busy machine, or start it with -preload"
	case kind == fault.Connection:
		f.Detail, f.Remedy = o.CoreNLP.BaseURL+": "+err.Error(), "start the server, or correct options.annotate.corenlp.base_url"
	case kind == fault.Auth:
		f.Detail, f.Remedy = err.Error(), "correct options.annotate.corenlp.key"
	case err != nil:
		f.Detail, f.Remedy = err.Error(), "look whether the server is well and has the models for "+names(r.Layers)
	case len(doc.Sentences) == 0:
		f.Detail, f.Remedy = "the server found no sentence", "look whether it is a CoreNLP server with English models"
	case slices.Contains(r.Layers, annotate.Dependencies) && doc.Sentences[0].Unparsed:
		f.Detail, f.Remedy = "the server parsed nothing", "look whether it has the model of depparse"
	default:
		f.Status, f.Detail = backend.Good, fmt.Sprintf("%s annotates %s", o.CoreNLP.BaseURL, names(r.Layers))
	}
	return f
}

// names lists layers.
func names(layers []annotate.Layer) string {
	var all []string
	for _, l := range layers {
		all = append(all, string(l))
	}
	return strings.Join(all, ", ")
}
