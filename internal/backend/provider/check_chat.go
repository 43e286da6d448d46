package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/openai"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// A chatTrial is a chat model that is being tried, with options that it takes.
type chatTrial struct {
	trial
	asked   Chat     // as the entry has it
	now     Chat     // the options in use, changed where the model refused some
	prober  bool     // its log-probabilities are what it is for
	refused []string // the parameters that it refused
	empty   error    // why the first reply had no text, where that was for reasoning
}

// What the checks allow a reply, in tokens. A reply that ends there is good
// enough.
const (
	replyTokens = 32
	jsonTokens  = 64
	plainTokens = 4
)

// checkTop is how many of the likeliest tokens are asked for.
const checkTop = 5

// checkChat tries the chat model, and those of roles.
func (c *checkup) checkChat(ctx context.Context) {
	if c.Chat.Use == "offline" {
		c.good("chat", "rules of the offline backend; needs nothing from outside")
		return
	}
	t := &chatTrial{trial: trial{checkup: c, door: "chat", Server: c.Chat.Server, model: c.Chat.Model}, asked: c.Chat}
	if t.run(ctx) {
		c.replied = true
	}
	for _, role := range c.Roles.names() {
		o := c.Roles[role]
		t := &chatTrial{trial: trial{checkup: c, door: door(role), Server: o.Server, model: o.Model}, asked: o, prober: role == probe}
		t.run(ctx)
	}
}

// run tries the model, and reports whether it has replied.
func (t *chatTrial) run(ctx context.Context) bool {
	t.now = t.asked
	hasKey := t.findKey()
	client, err := t.client(t.asked)
	if err != nil {
		t.missing(t.door+" options", inLine(err.Error()), "")
		return false
	}
	if !t.reach(ctx, client.Models, client.Listed) || !hasKey {
		return false
	}
	reply, err := t.first(ctx)
	if !t.judge(err) {
		return false
	}
	t.reportReply(reply)
	if n := client.Context(); n > 0 {
		t.good(t.door+" context", fmt.Sprintf("%d tokens, as the server says", n))
		if t.door == "chat" {
			t.findings[len(t.findings)-1].Context = n
		}
	}
	t.reportParameters()
	t.checkLogprobs(ctx)
	if !t.prober {
		t.checkJSON(ctx)
		t.checkCompletions(ctx)
	}
	t.checkPrice(t.asked.Price)
	return true
}

// client returns a client with options.
func (t *chatTrial) client(o Chat) (*openai.Chat, error) {
	config := o.config()
	config.Key = t.key
	return openai.NewChat(config)
}

// ask sends a request with options, as a run would.
func (t *chatTrial) ask(ctx context.Context, o Chat, r llm.Request) (llm.Reply, error) {
	client, err := t.client(o)
	if err != nil {
		return llm.Reply{}, err
	}
	var reply llm.Reply
	err = try(ctx, min(replyTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		reply, err = o.prepare(client, client.Effective, t.env.Seed).Generate(ctx, r)
		return err
	})
	return reply, err
}

// question is a request with the parameters that methods set.
func question(text string, tokens int) llm.Request {
	return llm.Request{
		Role:     "check",
		Messages: []llm.Message{{Role: llm.User, Content: text}},
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: tokens},
	}
}

// first asks for the first reply. Where the model refuses a parameter it goes
// on with options that leave it out, so that all such parameters are found.
func (t *chatTrial) first(ctx context.Context) (llm.Reply, error) {
	r := question("Reply with one word: ready", replyTokens)
	reply, err := t.ask(ctx, t.now, r)
	if fault.KindOf(err) == fault.Empty && t.now.ReasoningTokens < enoughReasoning {
		o := t.now
		o.ReasoningTokens = enoughReasoning
		more, again := t.ask(ctx, o, r)
		if again != nil {
			return reply, err
		}
		t.now, t.empty = o, err
		reply, err = more, nil
	}
	for fault.KindOf(err) == fault.Rejected {
		o, name, retried, again := t.without(ctx, r, err)
		if name == "" {
			break
		}
		t.now, t.refused = o, append(t.refused, name)
		reply, err = retried, again
	}
	return reply, err
}

// enoughReasoning is the room for reasoning that a remedy names.
const enoughReasoning = 2048

// without finds the parameter that a model refused with a fault: the one that
// the fault names, or else the first without which the model replies. It
// returns the options without it, and what came of them.
func (t *chatTrial) without(ctx context.Context, r llm.Request, refusal error) (o Chat, name string, reply llm.Reply, err error) {
	text := t.said(refusal)
	var unnamed []string
	for _, name := range t.changeable() {
		if !slices.ContainsFunc([]string{`"`, `'`, "`"}, func(q string) bool { return strings.Contains(text, q+name+q) }) {
			unnamed = append(unnamed, name)
			continue
		}
		o := t.now.change(name)
		reply, err := t.ask(ctx, o, r)
		return o, name, reply, err
	}
	for _, name := range unnamed {
		o := t.now.change(name)
		if reply, err := t.ask(ctx, o, r); err == nil {
			return o, name, reply, nil
		}
	}
	return t.now, "", llm.Reply{}, refusal
}

// changeable lists the parameters in use that options can change.
func (t *chatTrial) changeable() []string {
	var names []string
	add := func(name string, sent bool) {
		if sent && !slices.Contains(t.refused, name) && !slices.Contains(t.now.Omit, Parameter(name)) {
			names = append(names, name)
		}
	}
	add("max_tokens", t.now.MaxTokensField == "max_tokens")
	add("max_completion_tokens", t.now.MaxTokensField == "max_completion_tokens" && !slices.Contains(t.now.Omit, "max_tokens"))
	add("temperature", true)
	add("seed", t.now.SendSeed)
	add("reasoning_effort", t.now.ReasoningEffort != "")
	return names
}

// change returns the options for a model that refuses a parameter.
func (c Chat) change(name string) Chat {
	switch name {
	case "max_tokens":
		c.MaxTokensField = "max_completion_tokens"
	case "max_completion_tokens":
		c.MaxTokensField = "max_tokens"
	case "reasoning_effort":
		c.ReasoningEffort = ""
	default:
		c.Omit = append(slices.Clone(c.Omit), Parameter(name))
	}
	return c
}

// reportReply says what came with the first reply.
func (t *chatTrial) reportReply(reply llm.Reply) {
	switch {
	case reply.Model == "" || reply.Model == t.model:
		t.good(t.door+" reply", fmt.Sprintf("%.40q", reply.Text))
	case snapshot(reply.Model, t.model):
		t.good(t.door+" reply", fmt.Sprintf("%.40q, served by %s", reply.Text, reply.Model))
	default:
		t.warn(t.door+" reply", fmt.Sprintf("%.40q, served by %s and not by %s", reply.Text, reply.Model, t.model),
			"set "+t.option("model")+" to the model that you mean")
	}
	switch {
	case reply.Usage.Calls > 0:
		t.good(t.door+" usage", "reported: "+usageText(reply.Usage))
	case t.tokens == nil:
		t.warn(t.door+" usage", "not reported", "correct options.tokenizer, with which tokens are counted instead")
	default:
		t.warn(t.door+" usage", "not reported; tokens are counted with "+t.tokens.Name(), "")
	}
}

// snapshot reports whether a name is that of a dated snapshot of a model, such
// as gpt-5-nano-2025-08-07.
func snapshot(name, model string) bool {
	date, ok := strings.CutPrefix(name, model+"-")
	return ok && strings.Trim(date, "0123456789-") == ""
}

func usageText(u llm.Usage) string {
	text := plural(u.Input, "token") + " read, " + strconv.Itoa(u.Output) + " written"
	if u.Reasoning > 0 {
		text += ", " + strconv.Itoa(u.Reasoning) + " of them to reason"
	}
	return text
}

// reportParameters says which parameters the model takes.
func (t *chatTrial) reportParameters() {
	what := t.door + " parameters"
	if t.empty != nil {
		t.missing(t.door+" reasoning", t.said(t.empty), t.under()+"reasoning_tokens: "+strconv.Itoa(enoughReasoning))
	}
	if len(t.refused) > 0 {
		t.missing(what, "the model refuses "+strings.Join(t.refused, " and "), t.under()+""+t.now.differences(t.asked))
		return
	}
	sent := []string{string(t.now.MaxTokensField), "temperature", "seed"}
	sent = slices.DeleteFunc(sent, func(name string) bool {
		if name == "max_completion_tokens" {
			name = "max_tokens"
		}
		return slices.Contains(t.now.Omit, Parameter(name)) || name == "seed" && !t.now.SendSeed
	})
	if t.now.ReasoningEffort != "" {
		sent = append(sent, "reasoning_effort")
	}
	if len(sent) == 0 {
		t.good(what, "none is sent")
		return
	}
	t.good(what, strings.Join(sent, ", ")+": taken")
}

// differences writes, as in a config, in what options differ from old ones.
func (c Chat) differences(old Chat) string {
	var list []string
	if c.MaxTokensField != old.MaxTokensField {
		list = append(list, "max_tokens_field: "+string(c.MaxTokensField))
	}
	if c.ReasoningEffort != old.ReasoningEffort {
		list = append(list, `reasoning_effort: ""`)
	}
	if len(c.Omit) != len(old.Omit) {
		names := make([]string, len(c.Omit))
		for i, p := range c.Omit {
			names[i] = string(p)
		}
		list = append(list, "omit: ["+strings.Join(names, ", ")+"]")
	}
	return strings.Join(list, " and ")
}

// under begins a remedy that is to be written among the options of the door.
func (t *chatTrial) under() string { return "under options." + t.door + " write " }

// colour is a format that the question about it does not mention, so that a
// server that passes over a schema is found out.
var colour = llm.Format{Name: "colour", Schema: json.RawMessage(
	`{"type": "object", "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}}, "required": ["colour"], "additionalProperties": false}`)}

// checkJSON asks for JSON in each way that the option allows.
func (t *chatTrial) checkJSON(ctx context.Context) {
	what := t.door + " JSON"
	o := t.now
	auto := o.Format == "auto" && !slices.Contains(o.Omit, "response_format")
	if auto {
		o.Format = "json_schema"
	}
	asked, err := t.askJSON(ctx, o)
	switch {
	case err == nil && asked == 1:
		t.good(what, string(o.Format)+": the reply fits the schema")
	case auto && fault.KindOf(err) == fault.Rejected:
		refusal := t.said(err)
		o.Format = "prompt"
		if _, err = t.askJSON(ctx, o); err != nil {
			t.warn(what, "json_schema is refused, and asked for by the prompt: "+t.said(err), "take another model for methods that ask for JSON")
			return
		}
		t.warn(what, "json_schema is refused ("+refusal+"), so the prompt asks for it and the reply fits", "to say so: "+t.under()+"format: prompt")
	case err == nil:
		t.warn(what, string(o.Format)+": the first reply did not fit the schema, the second did", "where it is always so, "+t.under()+"format: prompt")
	case fault.KindOf(err) == fault.Rejected:
		t.missing(what, string(o.Format)+" is refused: "+t.said(err), t.under()+"format: auto")
	default:
		t.warn(what, string(o.Format)+": "+t.said(err), "take another model for methods that ask for JSON")
	}
}

// askJSON asks for JSON with options and returns how often it had to ask.
func (t *chatTrial) askJSON(ctx context.Context, o Chat) (asked int, err error) {
	r := question("Which colour has grass?", jsonTokens)
	r.Format = &colour
	_, _, err = llm.JSON[struct {
		Colour string `json:"colour"`
	}](ctx, llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		asked++
		return t.ask(ctx, o, r)
	}), r)
	return asked, err
}

// checkCompletions asks for a plain continuation, where the options say that
// the server gives one.
func (t *chatTrial) checkCompletions(ctx context.Context) {
	what := t.door + " completions"
	if !t.now.Completions || t.now.API == "completions" { // where every reply has been one
		return
	}
	r := question("Red, green and", plainTokens)
	r.Plain = true
	r.Params.Logprobs, r.Params.TopLogprobs = true, checkTop
	reply, err := t.ask(ctx, t.now, r)
	if fault.KindOf(err) == fault.NoLogprobs {
		r.Params.Logprobs, r.Params.TopLogprobs = false, 0
		reply, err = t.ask(ctx, t.now, r)
	}
	if err != nil {
		t.missing(what, t.said(err), t.under()+"completions: false")
		return
	}
	status, detail := describe(reply, nil, slices.Contains(t.now.Omit, "top_logprobs"))
	detail = fmt.Sprintf("%.40q; log-probabilities: %s", reply.Text, detail)
	if status == backend.Good {
		t.good(what, detail)
		return
	}
	t.warn(what, detail, "")
}
