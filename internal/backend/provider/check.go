package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
	"recallbench/internal/text/suggest"
)

// A checkup is an entry whose doors are tried.
type checkup struct {
	*opening
	findings []backend.Finding
}

// check opens each door that an entry names as a run does, has it do a small task with a
// known result, and continues if one fails, so that the wrong model shows in the numbers.
// It waits as long as an attempt of a run may take.
func (f Fallback) check(ctx context.Context, env backend.Env, options any) []backend.Finding {
	o := options.(Options) //nolint:forcetypeassert // a config has the options of its entry
	c := &checkup{opening: &opening{Options: o, fallback: f, env: env, settings: make(map[string]string)}}
	if err := o.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			c.add(backend.Missing, "options", strings.TrimSuffix(line, "\n"), "")
		}
		return c.findings
	}
	c.env.Limits = limit.NewRegistry() // a trial must not change what a run measures
	for _, s := range []*Server{&c.Chat.Server, &c.Embed.Server, &c.NLI.Server} {
		s.Limits.Retries = 0
	}
	c.Roles = maps.Clone(c.Roles)
	defer func() { _ = c.close() }() // nothing was written
	c.checkTokens()
	replied := false
	if c.Chat.Use == standIn {
		c.add(backend.Good, "chat", "the stand-in; needs nothing from outside", "")
	} else {
		replied = c.checkModel(ctx, "chat", c.Chat)
	}
	for _, role := range c.Roles.names() {
		o := c.Roles[role]
		o.Limits.Retries = 0
		c.Roles[role] = o
		c.checkModel(ctx, door(role), o)
	}
	if replied && c.openChat() == nil { // for what asks it
		_ = c.openRoles() // each was tried by itself
	}
	for _, door := range []struct {
		name    string
		outside bool // something from outside stands behind it
		open    func() error
		try     func(context.Context) (detail string, sound bool, err error)
		remedy  string // for what is not sound
	}{
		{"embed", c.Embed.Use == "openai" || c.Embed.Use == "onnx", c.openEmbed, c.tryEmbed, "check options.embed.model, query_prefix and document_prefix"},
		{"nli", c.NLI.Use == "tei", c.openNLI, c.tryNLI, "check that the model is an entailment model"},
		{"prune", c.Prune.Dir != "", c.openPrune, c.tryPrune, "check that the model's second label means keeping a token"},
		{"annotate", c.Annotate.UsesLLM() && replied, c.openAnnotate, c.tryAnnotate, ""},
	} {
		if !door.outside {
			continue
		}
		detail, sound, err := "", false, door.open()
		if err == nil {
			detail, sound, err = door.try(ctx)
		}
		c.report(door.name, detail, sound, err, door.remedy)
	}
	c.findings = append(c.findings, annotators.Check(ctx, c.Annotate)...)
	return c.findings
}

func (c *checkup) add(status backend.FindingStatus, what, detail, remedy string) {
	c.findings = append(c.findings, backend.Finding{What: what, Status: status, Detail: detail, Remedy: remedy})
}

// report adds the result of trying a door: what it returned, and whether a sound model
// returns that, or a server's own words if it failed.
func (c *checkup) report(name, detail string, sound bool, err error, remedy string) {
	switch {
	case err != nil:
		remedy = ""
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Remedy == "" {
			remedy = "check options." + name + " and the server"
		}
		c.add(backend.Missing, name, strings.ReplaceAll(err.Error(), "\n", "; "), remedy)
	case !sound:
		c.add(backend.Warning, name, detail, remedy)
	default:
		c.add(backend.Good, name, detail, "")
	}
}

// checkTokens opens the tokenizer.
func (c *checkup) checkTokens() {
	_, known := token.ForModel(c.Chat.Model)
	err := c.openTokens()
	switch {
	case err != nil:
		c.add(backend.Missing, "tokenizer", strings.TrimPrefix(err.Error(), "tokenizer: tokenizer "), "correct options.tokenizer")
		c.Tokenizer = fallbackEncoding
		_ = c.openTokens() // one that is built in
	case c.Tokenizer == "" && !known && c.Chat.Use != standIn:
		c.add(backend.Warning, "tokenizer", fmt.Sprintf("that of %s is unknown; prompts are counted with %s before a call", c.Chat.Model, c.tokens.Name()),
			"set options.tokenizer to the path of the model's tokenizer.json")
	default:
		c.add(backend.Good, "tokenizer", c.tokens.Name(), "")
	}
}

// checkModel tries a chat model, says how much it takes and what it costs, and returns
// whether it replied.
func (c *checkup) checkModel(ctx context.Context, name string, o Chat) bool {
	detail, sound := "", false
	model, rates, err := c.openModel(o)
	if err == nil {
		detail, sound, err = c.tryChat(ctx, model, o.Model, name == door(probe))
	}
	client, failed := c.newChat(o)
	if err = cmp.Or(err, failed); err != nil && fault.KindOf(err) != fault.NoModel || ctx.Err() != nil {
		c.report(name, detail, sound, err, "")
		return false
	}
	listing, cancel := context.WithTimeout(ctx, o.Limits.Attempt)
	defer cancel()
	models, unlisted := client.Models(listing)
	switch {
	case err != nil && unlisted == nil:
		c.add(backend.Missing, name, strings.ReplaceAll(err.Error(), "\n", "; "), "correct options."+name+".model: "+nearest(o.Model, models))
		return false
	case err != nil:
		c.report(name, detail, sound, err, "")
		return false
	case unlisted == nil && !client.Listed(models):
		detail, sound = detail+"; the server does not list "+o.Model, false
	}
	c.report(name, detail, sound, nil, "set options."+name+".model to the model that you mean")
	if n := client.Context(); n > 0 {
		c.add(backend.Good, name+" context", strconv.Itoa(n)+" tokens, according to the server", "")
		c.findings[len(c.findings)-1].Context = n
	}
	if rates == nil {
		c.add(backend.Warning, name+" price", "that of "+o.Model+" is unknown, so the cost of a run is unknown too", "set options."+name+".price to {input: ..., output: ...}, in dollars per million tokens")
	} else {
		c.add(backend.Good, name+" price", fmt.Sprintf("$%v per million tokens read and $%v per million written", rates.Input, rates.Output), "")
	}
	return true
}

// shortTokens is what a check allows a reply, in tokens. A reply that ends there is
// good enough.
const shortTokens = 16

// tryChat asks a chat model for a word as methods ask, and a prober for
// log-probabilities.
func (c *checkup) tryChat(ctx context.Context, g llm.Generator, model string, probes bool) (detail string, sound bool, err error) {
	const text = "Reply with one word: ready"
	reply, err := g.Generate(ctx, llm.Request{
		Role:     "check",
		Messages: []llm.Message{{Role: llm.User, Content: text}},
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: shortTokens, Logprobs: probes},
		Plain:    probes,
	})
	if err != nil {
		return "", false, err
	}
	detail, sound = fmt.Sprintf("%.40q", reply.Text), true
	if reply.Model != "" && reply.Model != model {
		detail, sound = detail+", served by "+reply.Model, snapshot(reply.Model, model)
	}
	if reply.Usage.Calls > 0 {
		detail += fmt.Sprintf("; it counts %d tokens, %s counts %d", reply.Usage.Input, c.tokens.Name(), c.tokens.Count(text))
	} else {
		detail += "; it reports no usage"
	}
	return detail, sound, nil
}

// snapshot reports whether a name is that of a dated snapshot of a model, such
// as gpt-5-nano-2025-08-07.
func snapshot(name, model string) bool {
	date, ok := strings.CutPrefix(name, model+"-")
	return ok && strings.Trim(date, "0123456789-") == ""
}

// maxListed is how many models a remedy names.
const maxListed = 12

// nearest says which models a server has: the one with a near name, or the first.
func nearest(model string, names []string) string {
	if found, ok := suggest.Find(model, names); ok {
		return "did you mean " + found + "?"
	}
	return "the server has " + strings.Join(names[:min(len(names), maxListed)], ", ")
}

// tryEmbed embeds a question, the text that answers it, and one that does not.
func (c *checkup) tryEmbed(ctx context.Context) (detail string, sound bool, err error) {
	texts := []string{"At night the cat sleeps on the mat.", "Shares of both companies fell on Monday."}
	var documents, queries [][]float32
	embedder, err := c.doors.Embed.Fit(ctx, texts)
	if err == nil {
		documents, err = embed.Vectors(ctx, embedder, embed.Document, texts)
	}
	if err == nil {
		queries, err = embed.Vectors(ctx, embedder, embed.Query, []string{"Where does the cat sleep at night?"})
	}
	if err != nil {
		return "", false, err
	}
	near, remote := embed.Cosine(queries[0], documents[0]), embed.Cosine(queries[0], documents[1])
	return fmt.Sprintf("%d dimensions; a question has cosine %.2f with its answer and %.2f with another text", len(queries[0]), near, remote), near > remote, nil
}

// tryNLI scores a pair whose premise entails the hypothesis, and one whose does not.
func (c *checkup) tryNLI(ctx context.Context) (detail string, sound bool, err error) {
	const premise = "Anna plays the guitar on the stage."
	scores, err := c.doors.NLI.Entail(ctx, []nli.Pair{{Premise: premise, Hypothesis: "Anna plays the guitar."}, {Premise: premise, Hypothesis: "Nobody makes any music here."}})
	if err != nil {
		return "", false, err
	}
	return fmt.Sprintf("%.2f for a text that entails another, %.2f for one that does not", scores[0], scores[1]), scores[0] > scores[1], nil
}

// tryPrune classifies a sentence whose name is to be kept rather than its article.
func (c *checkup) tryPrune(ctx context.Context) (detail string, sound bool, err error) {
	const text = "So, you know, it was the case that Anna moved to Lisbon in 2019."
	all, err := c.doors.Prune.Classify(ctx, []string{text})
	if err != nil {
		return "", false, err
	}
	keep := make(map[string]float64)
	for _, t := range all[0] {
		keep[text[t.Start:t.End]] = t.Keep
	}
	return fmt.Sprintf("%.2f for the name Anna, %.2f for the word the", keep["Anna"], keep["the"]), keep["Anna"] > keep["the"], nil
}

// tryAnnotate has a chat model annotate a sentence.
func (c *checkup) tryAnnotate(ctx context.Context) (detail string, sound bool, err error) {
	r := annotate.Request{Layers: []annotate.Layer{annotate.Discourse}, Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Anna took her sister to Leeds."}}}
	_, err = c.doors.Annotate.Annotate(ctx, r)
	return "a sentence was annotated", true, err
}
